//! What is said of a call after it was answered, since what it began goes on in the background: how far
//! it has come, and what came of it in the end. Whoever gave a token for progress hears it by that,
//! others by a record.

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

/// Who speaks of what ended in the background.
const LOGGER: &str = "operations";

/// How many bytes of what something came to are told; the whole can be asked for.
const MOST: usize = 32_000;

/// How many characters of a text, and entries of a list, a record has.
const LEFT: (usize, usize) = (400, 20);

/// How far a call has come, told while it runs and afterwards.
pub(super) type Shared = Arc<Mutex<Progress>>;

/// What is on its way to a client.
enum Item {
    Said(Said),
    /// Everything before it is told.
    Mark(oneshot::Sender<()>),
}

/// How many steps wait for a client that does not read; it loses nothing by those that are left out.
const WAITING: usize = 16;

/// The way to the client of a call that stays open after the answer. Most calls say nothing by it, so it is
/// made when the first does.
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
    /// Opens it; it closes with the last who could say something.
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

    /// Takes what is said.
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

    /// Waits until everything that was said so far is told: nothing of it comes after the answer.
    pub(super) async fn told(&self) {
        let Some(send) = self.0.made.get() else { return };
        let (told, heard) = oneshot::channel();
        if send.send(Item::Mark(told)).is_ok() {
            // Without anybody who tells there is nothing to wait for.
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
                    // Who waited may have left.
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

/// What ended, and how.
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

/// How far a call has come.
pub(super) fn locked(progress: &Shared) -> std::sync::MutexGuard<'_, Progress> {
    progress.lock().unwrap_or_else(PoisonError::into_inner)
}
