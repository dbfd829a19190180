//! What is said of a call after it was answered, since what it began goes on in the background: how far
//! it has come, and what came of it in the end. Whoever gave a token for progress hears it by that,
//! others by a record.

use std::{
    sync::{Arc, Mutex, PoisonError},
    time::Instant,
};

use deskhand_engine::{Said, Sink, Weight};
use serde_json::Value;
use tokio::sync::mpsc;

use super::{content, progress::Progress};
use crate::server::{client::Client, log::Level};

/// Who speaks of what ended in the background.
const LOGGER: &str = "operations";

/// How many bytes of what something came to are told; the whole can be asked for.
const MOST: usize = 32_000;

/// How many characters of a text, and entries of a list, a record has.
const LEFT: (usize, usize) = (400, 20);

/// How far a call has come, told while it runs and afterwards.
pub(super) type Shared = Arc<Mutex<Progress>>;

/// Takes what is said of a call of a client after it was answered.
pub(super) fn sink(client: &Client, progress: &Shared) -> Sink {
    let (send, mut said) = mpsc::unbounded_channel::<Said>();
    let (client, progress) = (client.clone(), Arc::clone(progress));
    // It ends with the last who could say something.
    tokio::spawn(async move {
        while let Some(said) = said.recv().await {
            tell(&client, &progress, &said).await;
        }
    });
    Arc::new(move |said| send.send(said).is_ok())
}

async fn tell(client: &Client, progress: &Shared, said: &Said) {
    let heeds_progress = client.progress.is_some();
    let step = match said.weight {
        Weight::Progress => locked(progress).took(said, Instant::now()),
        Weight::News if heeds_progress => {
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
