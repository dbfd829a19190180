//! Events of an app while they happen.

use std::{
    marker::PhantomData,
    sync::{
        Arc,
        mpsc::{self, Receiver, RecvTimeoutError, Sender},
    },
    thread::JoinHandle,
    time::{Duration, Instant},
};

use deskhand_engine::{
    CallOptions, CancelToken, Engine, OutputForm, ProgressEvent, Severity, Vocabulary,
};
use serde_json::{Value, json};

use crate::{Error, Event, Session, session::library_call};

/// The longest watch in seconds: one day.
const MAX_SECONDS: u64 = 86_400;

/// The events of an app, from [`App::watch`](crate::App::watch). The iterator waits for the next
/// event and ends after the duration of the watch, or when the app quits. Dropping it ends the
/// watch.
///
/// ```no_run
/// # fn main() -> Result<(), deskhand::Error> {
/// # let session = deskhand::Session::open()?;
/// use std::time::Duration;
///
/// let app = session.app("mousepad")?;
/// let events = app.watch(Duration::from_secs(2))?;
/// app.type_text("role:text", "hello")?;
/// for event in events {
///     println!("{}", event?.kind.word());
/// }
/// # Ok(()) }
/// ```
#[derive(Debug)]
pub struct Events<'s> {
    messages: Receiver<WatchMessage>,
    cancel: Arc<CancelToken>,
    ends: Instant,
    thread: Option<JoinHandle<()>>,
    session: PhantomData<&'s Session>,
}

/// A message of the thread that watches.
#[derive(Debug)]
enum WatchMessage {
    /// The watch has started.
    Started,
    /// An event happened.
    Event(Value),
    /// The watch failed.
    Failed(Error),
}

impl<'s> Events<'s> {
    /// Starts a watch and waits until it has started.
    pub(crate) fn start(
        session: &'s Session,
        mut arguments: Value,
        duration: Duration,
    ) -> Result<Self, Error> {
        let seconds = duration.as_millis().div_ceil(1000);
        let seconds = u64::try_from(seconds).unwrap_or(MAX_SECONDS).clamp(1, MAX_SECONDS);
        arguments["duration"] = json!(seconds);
        let (sender, messages) = mpsc::channel();
        let cancel = Arc::<CancelToken>::default();
        let (engine, token) = (Arc::clone(session.engine()), Arc::clone(&cancel));
        let thread = std::thread::Builder::new()
            .name("watch".to_owned())
            .spawn(move || watch(&engine, arguments, token, &sender))
            .map_err(|error| {
                Error::new("internal", format!("cannot start a thread: {error}"), "try again")
            })?;
        let ends = Instant::now() + Duration::from_secs(seconds).min(duration);
        let events = Self { messages, cancel, ends, thread: Some(thread), session: PhantomData };
        match events.messages.recv() {
            // The start is always the first message.
            Ok(WatchMessage::Started | WatchMessage::Event(_)) | Err(_) => Ok(events),
            Ok(WatchMessage::Failed(error)) => Err(error),
        }
    }
}

impl Iterator for Events<'_> {
    type Item = Result<Event, Error>;

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            let remaining = self.ends.saturating_duration_since(Instant::now());
            match self.messages.recv_timeout(remaining) {
                Ok(WatchMessage::Started) => {}
                Ok(WatchMessage::Event(data)) => {
                    let event = serde_json::from_value(data);
                    return Some(event.map_err(|error| Error::unexpected_result("watch", error)));
                }
                Ok(WatchMessage::Failed(error)) => return Some(Err(error)),
                Err(RecvTimeoutError::Timeout | RecvTimeoutError::Disconnected) => return None,
            }
        }
    }
}

impl Drop for Events<'_> {
    fn drop(&mut self) {
        self.cancel.cancel();
        if let Some(thread) = self.thread.take() {
            // The thread only fails if it panicked, and its panic was reported then.
            let _ = thread.join();
        }
    }
}

/// Runs the watch and sends its events, until it ends or the receiver is dropped.
fn watch(
    engine: &Engine,
    arguments: Value,
    cancel: Arc<CancelToken>,
    messages: &Sender<WatchMessage>,
) {
    let progress = |event: ProgressEvent| match event.severity {
        Severity::Progress => messages.send(WatchMessage::Started).is_ok(),
        Severity::Output => messages.send(WatchMessage::Event(event.data)).is_ok(),
        Severity::Warning | Severity::Audit | Severity::Refusal => true,
    };
    let options =
        CallOptions { cancel: Arc::clone(&cancel), ..CallOptions::non_interactive(&progress) };
    let result = engine.call(
        library_call(Vocabulary::Commands.tool("watch"), arguments, OutputForm::Data),
        &options,
    );
    if let Err(error) = result
        && !cancel.is_cancelled()
    {
        // If the receiver is dropped, the caller does not need the error.
        let _ = messages.send(WatchMessage::Failed(error.into()));
    }
}
