//! Reports about a call whose work continues in the background after its reply: progress, and the
//! final result. Clients with a progress token receive progress notifications, others log records.

use std::{
    sync::{
        Arc, OnceLock,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use deskhand_engine::{ProgressEvent, ProgressSink, Severity, Verbosity};
use parking_lot::Mutex;
use serde_json::Value;
use tokio::{
    runtime::Handle,
    sync::{mpsc, oneshot},
};

use super::{content, progress::ProgressTracker};
use crate::{
    input::ClientPrompt,
    server::{client::Client, log::LogLevel},
    task::store::Task,
};

/// Logger name of background operations.
const LOGGER: &str = "operations";

/// Maximum number of bytes of a result in a notification. The whole result can be requested.
const MAX_RESULT_BYTES: usize = 32_000;

/// Maximum number of characters per text and entries per list in a log record.
const RECORD_LIMITS: (usize, usize) = (400, 20);

/// The progress of a call, reported during the call and afterwards.
pub(super) type SharedProgress = Arc<Mutex<ProgressTracker>>;

/// An item to report.
enum ReportItem {
    Event(ProgressEvent),
    /// Everything before this item has been sent.
    Flush(oneshot::Sender<()>),
}

/// Maximum number of queued progress events. Further ones are dropped, as newer ones replace them.
const MAX_QUEUED_PROGRESS: usize = 16;

/// Reports to the client of a call, also after its reply. The reporting task starts with the first
/// event, because most calls report nothing.
#[derive(Clone)]
pub(super) struct BackgroundReporter(Arc<ReporterState>);

struct ReporterState {
    client: Client,
    task: Option<Arc<Task>>,
    progress: SharedProgress,
    runtime: Handle,
    sender: OnceLock<mpsc::UnboundedSender<ReportItem>>,
    queued_progress: Arc<AtomicUsize>,
}

impl BackgroundReporter {
    /// Creates a reporter. It ends when the last event sink is dropped.
    pub(super) fn new(prompt: &ClientPrompt, progress: &SharedProgress) -> Self {
        Self(Arc::new(ReporterState {
            client: prompt.client.clone(),
            task: prompt.task(),
            progress: Arc::clone(progress),
            runtime: Handle::current(),
            sender: OnceLock::new(),
            queued_progress: Arc::default(),
        }))
    }

    /// Returns a sink for events.
    pub(super) fn sink(&self) -> ProgressSink {
        let ReporterState { client, task, .. } = &*self.0;
        let verbosity = match (&client.progress_token, task) {
            (None, None) => Verbosity::ResultsOnly,
            (Some(_), _) | (_, Some(_)) => Verbosity::All,
        };
        let reporter = self.clone();
        ProgressSink::new(verbosity, move |event| reporter.push(event))
    }

    fn push(&self, event: ProgressEvent) -> bool {
        let queued_progress = &self.0.queued_progress;
        let send = self.0.sender.get_or_init(|| self.0.start());
        if event.severity == Severity::Progress
            && queued_progress.fetch_add(1, Ordering::Relaxed) >= MAX_QUEUED_PROGRESS
        {
            queued_progress.fetch_sub(1, Ordering::Relaxed);
            return !send.is_closed();
        }
        send.send(ReportItem::Event(event)).is_ok()
    }

    /// Waits until all events so far are sent, so that none of them follows the reply.
    pub(super) async fn flush(&self) {
        let Some(send) = self.0.sender.get() else { return };
        let (done, flushed) = oneshot::channel();
        if send.send(ReportItem::Flush(done)).is_ok() {
            // If the reporting task has ended, there is nothing to wait for.
            let _ = flushed.await;
        }
    }
}

impl ReporterState {
    fn start(&self) -> mpsc::UnboundedSender<ReportItem> {
        let (sender, mut items) = mpsc::unbounded_channel();
        let (client, task) = (self.client.clone(), self.task.clone());
        let (progress, queued) = (Arc::clone(&self.progress), Arc::clone(&self.queued_progress));
        self.runtime.spawn(async move {
            while let Some(item) = items.recv().await {
                match item {
                    ReportItem::Event(event) => {
                        send(&client, task.as_deref(), &progress, &event).await;
                        if event.severity == Severity::Progress {
                            queued.fetch_sub(1, Ordering::Relaxed);
                        }
                    }
                    // The receiver may have been dropped.
                    ReportItem::Flush(done) => drop(done.send(())),
                }
            }
        });
        sender
    }
}

async fn send(
    client: &Client,
    task: Option<&Task>,
    progress: &SharedProgress,
    event: &ProgressEvent,
) {
    let step = match event.severity {
        Severity::Progress => progress.lock().report(event, Instant::now()),
        Severity::Output if client.progress_token.is_some() => {
            let output = content::abridge(&event.text.to_string(), MAX_RESULT_BYTES);
            let message = format!("{}\n{output}", headline(&event.data));
            Some(progress.lock().finish(message, Instant::now()))
        }
        Severity::Output => {
            client.log(LogLevel::Info, LOGGER, shortened(&event.data)).await;
            None
        }
        Severity::Warning | Severity::Audit | Severity::Refusal => {
            client.log(LogLevel::Warning, LOGGER, shortened(&event.data)).await;
            None
        }
    };
    if let Some(step) = step {
        if let Some(task) = task {
            task.set_status_message(&step.message);
        }
        client.progress(step.progress, step.total, Some(step.message)).await;
    }
}

/// Describes a finished operation in one line.
fn headline(data: &Value) -> String {
    let word = |field: &str| data[field].as_str().unwrap_or("unknown");
    let mut message =
        format!("Operation {} of {}: {}", word("operation_id"), word("tool"), word("status"));
    if let Some(code) = data["exit_code"].as_i64() {
        message.push_str(&format!(", exit code {code}"));
    }
    message
}

fn shortened(data: &Value) -> Value {
    let mut data = data.clone();
    content::shorten(&mut data, RECORD_LIMITS.0, RECORD_LIMITS.1);
    data
}
