//! Reports about a call whose work continues in the background after its reply: progress, and the final
//! result. Clients with a progress token receive progress notifications, others log records.

use std::{
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicUsize, Ordering},
    },
    time::Instant,
};

use deskhand_engine::{Hears, Said, Sink, Weight};
use serde_json::Value;
use tokio::{
    runtime::Handle,
    sync::{mpsc, oneshot},
};

use super::{content, progress::Progress};
use crate::{
    ask::Voice,
    server::{client::Client, log::Level},
    task::store::Task,
};

/// Logger name of background operations.
const LOGGER: &str = "operations";

/// Maximum number of bytes of a result in a notification. The whole result can be requested.
const MOST: usize = 32_000;

/// Maximum number of characters per text and entries per list in a log record.
const LEFT: (usize, usize) = (400, 20);

/// The progress of a call, reported during the call and afterwards.
pub(super) type Shared = Arc<Mutex<Progress>>;

/// An item to report.
enum Item {
    Said(Said),
    /// Everything before this item has been sent.
    Mark(oneshot::Sender<()>),
}

/// Maximum number of queued progress events. Further ones are dropped, as newer ones replace them.
const WAITING: usize = 16;

/// Reports to the client of a call, also after its reply. The reporting task starts with the first
/// event, because most calls report nothing.
#[derive(Clone)]
pub(super) struct Way(Arc<Ends>);

struct Ends {
    client: Client,
    task: Option<Arc<Task>>,
    progress: Shared,
    runtime: Handle,
    made: OnceLock<mpsc::UnboundedSender<Item>>,
    waiting: Arc<AtomicUsize>,
}

impl Way {
    /// Creates a reporter. It ends when the last event sink is dropped.
    pub(super) fn open(voice: &Voice, progress: &Shared) -> Self {
        Self(Arc::new(Ends {
            client: voice.client.clone(),
            task: voice.task(),
            progress: Arc::clone(progress),
            runtime: Handle::current(),
            made: OnceLock::new(),
            waiting: Arc::default(),
        }))
    }

    /// Returns a sink for events.
    pub(super) fn sink(&self) -> Sink {
        let Ends { client, task, .. } = &*self.0;
        let hears = match (&client.progress, task) {
            (None, None) => Hears::Ends,
            (Some(_), _) | (_, Some(_)) => Hears::Everything,
        };
        let way = self.clone();
        Sink::new(hears, move |said| way.take(said))
    }

    fn take(&self, said: Said) -> bool {
        let waiting = &self.0.waiting;
        let send = self.0.made.get_or_init(|| self.0.make());
        if said.weight == Weight::Progress && waiting.fetch_add(1, Ordering::Relaxed) >= WAITING {
            waiting.fetch_sub(1, Ordering::Relaxed);
            return !send.is_closed();
        }
        send.send(Item::Said(said)).is_ok()
    }

    /// Waits until all events so far are sent, so that none of them follows the reply.
    pub(super) async fn told(&self) {
        let Some(send) = self.0.made.get() else { return };
        let (told, heard) = oneshot::channel();
        if send.send(Item::Mark(told)).is_ok() {
            // If the reporting task has ended, there is nothing to wait for.
            let _ = heard.await;
        }
    }
}

impl Ends {
    fn make(&self) -> mpsc::UnboundedSender<Item> {
        let (send, mut items) = mpsc::unbounded_channel();
        let (client, task) = (self.client.clone(), self.task.clone());
        let (progress, taken) = (Arc::clone(&self.progress), Arc::clone(&self.waiting));
        self.runtime.spawn(async move {
            while let Some(item) = items.recv().await {
                match item {
                    Item::Said(said) => {
                        tell(&client, task.as_deref(), &progress, &said).await;
                        if said.weight == Weight::Progress {
                            taken.fetch_sub(1, Ordering::Relaxed);
                        }
                    }
                    // The receiver may have been dropped.
                    Item::Mark(told) => drop(told.send(())),
                }
            }
        });
        send
    }
}

async fn tell(client: &Client, task: Option<&Task>, progress: &Shared, said: &Said) {
    let step = match said.weight {
        Weight::Progress => locked(progress).took(said, Instant::now()),
        Weight::News if client.progress.is_some() => {
            let output = content::in_brief(&said.page.to_string(), MOST);
            let words = format!("{}\n{output}", headline(&said.data));
            Some(locked(progress).ended(words, Instant::now()))
        }
        Weight::News => {
            client.log(Level::Info, LOGGER, brief(&said.data)).await;
            None
        }
        Weight::Warning | Weight::Record | Weight::Alarm => {
            client.log(Level::Warning, LOGGER, brief(&said.data)).await;
            None
        }
    };
    if let Some(step) = step {
        if let Some(task) = task {
            task.say(&step.words);
        }
        client.progress(step.done, step.total, Some(step.words)).await;
    }
}

/// Describes a finished operation in one line.
fn headline(data: &Value) -> String {
    let word = |field: &str| data[field].as_str().unwrap_or("unknown");
    let mut words =
        format!("Operation {} of {}: {}", word("operation_id"), word("tool"), word("status"));
    if let Some(code) = data["exit_code"].as_i64() {
        words.push_str(&format!(", exit code {code}"));
    }
    words
}

fn brief(data: &Value) -> Value {
    let mut data = data.clone();
    content::shorten(&mut data, LEFT.0, LEFT.1);
    data
}

/// Locks the progress of a call.
pub(super) fn locked(progress: &Shared) -> std::sync::MutexGuard<'_, Progress> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}
