//! Fixtures for the official conformance suite, behind a hidden option and the Cargo feature
//! `conformance`. They request input, log, report progress and become tasks like real tools.

mod asks;
mod knowledge;
mod plain;
mod scenarios;
mod tasks;
mod tools;

use std::{
    collections::HashMap,
    sync::{
        Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
};

use rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock, JsonObject},
    service::{SubscriptionContext, SubscriptionSink},
};

use crate::{
    ask::Voice,
    tool::{
        call::{Job, Ran},
        list::Tools,
    },
};

/// The fixtures and the open subscriptions to their changes.
#[derive(Debug, Default)]
pub(crate) struct Fixtures {
    listeners: Mutex<HashMap<u64, SubscriptionSink>>,
    next: AtomicU64,
}

impl Fixtures {
    /// Returns the tools.
    pub(crate) fn tools() -> Tools {
        Tools::new(tools::all())
    }

    /// Keeps a subscription until it is cancelled.
    pub(crate) async fn listen(&self, context: SubscriptionContext) {
        let key = self.next.fetch_add(1, Ordering::Relaxed);
        self.listeners().insert(key, context.sink().clone());
        context.cancelled().await;
        self.listeners().remove(&key);
    }

    fn sinks(&self) -> Vec<SubscriptionSink> {
        self.listeners().values().cloned().collect()
    }

    fn listeners(&self) -> MutexGuard<'_, HashMap<u64, SubscriptionSink>> {
        self.listeners.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Runs a fixture.
///
/// # Errors
///
/// Returns the errors the suite expects.
pub(crate) async fn call(fixtures: &Fixtures, job: &Job, voice: &Voice) -> Result<Ran, ErrorData> {
    if let Some(ran) = asks::call(job, voice).await? {
        return Ok(ran);
    }
    if let Some(ran) = scenarios::call(job, voice).await? {
        return Ok(ran);
    }
    if let Some(ran) = tasks::call(job, voice).await? {
        return Ok(ran);
    }
    plain::call(fixtures, job, voice).await
}

/// Returns `true` if a fixture requests input before it becomes a task.
pub(crate) fn asks_first(tool: &str) -> bool {
    tool == "test_tool_with_task"
}

/// Requests the input of such a fixture. The result is added to the arguments of its task.
///
/// # Errors
///
/// Returns an error if the client does not support elicitation.
pub(crate) async fn ask_first(voice: &Voice) -> Result<JsonObject, ErrorData> {
    tasks::ask_first(voice).await
}

fn text(words: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(words.into())])
}
