//! Fixtures for the official conformance suite, behind a hidden option and the Cargo feature
//! `conformance`. They request input, log, report progress and become tasks like real tools.

mod basic;
mod input;
mod questions;
mod resources;
mod tasks;
mod tools;

use std::{
    collections::HashMap,
    sync::atomic::{AtomicU64, Ordering},
    time::Instant,
};

use parking_lot::Mutex;
use rmcp::{
    ErrorData,
    model::{CallToolResult, ContentBlock, JsonObject},
    service::{SubscriptionContext, SubscriptionSink},
};

use crate::{
    ServerOptions,
    input::ClientPrompt,
    timing,
    tool::{
        call::{CallOutcome, ToolCall},
        list::ToolList,
    },
};

/// The fixtures and the open subscriptions to their changes.
#[derive(Debug, Default)]
pub(crate) struct Fixtures {
    listeners: Mutex<HashMap<u64, SubscriptionSink>>,
    /// The latest changes. A subscription that was acknowledged before a change may start after it.
    changes: Mutex<HashMap<FixtureList, Instant>>,
    next: AtomicU64,
}

/// A list that a fixture changes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum FixtureList {
    Tools,
    Prompts,
}

impl FixtureList {
    async fn notify(self, sink: &SubscriptionSink) {
        // Subscriptions to other changes refuse it.
        let _ = match self {
            Self::Tools => sink.notify_tool_list_changed().await,
            Self::Prompts => sink.notify_prompt_list_changed().await,
        };
    }
}

impl Fixtures {
    /// Returns the fixtures if the options enable them.
    pub(crate) fn from_options(options: &ServerOptions) -> Option<Self> {
        options.conformance.then(Self::default)
    }

    /// Returns the tools.
    pub(crate) fn tools(&self) -> ToolList {
        ToolList::new(tools::all())
    }

    /// Keeps a subscription until it is cancelled.
    pub(crate) async fn listen(&self, context: SubscriptionContext) {
        let key = self.next.fetch_add(1, Ordering::Relaxed);
        let missed: Vec<FixtureList> = {
            let mut listeners = self.listeners.lock();
            listeners.insert(key, context.sink().clone());
            let changes = self.changes.lock();
            let recent =
                changes.iter().filter(|(_, at)| at.elapsed() < timing::ACKNOWLEDGEMENT_TIME);
            recent.map(|(list, _)| *list).collect()
        };
        for list in missed {
            list.notify(context.sink()).await;
        }
        context.cancelled().await;
        self.listeners.lock().remove(&key);
    }

    /// Notifies the subscriptions that a list has changed.
    async fn change(&self, list: FixtureList) {
        let sinks: Vec<SubscriptionSink> = {
            let listeners = self.listeners.lock();
            self.changes.lock().insert(list, Instant::now());
            listeners.values().cloned().collect()
        };
        for sink in sinks {
            list.notify(&sink).await;
        }
    }

    /// Runs a fixture.
    ///
    /// # Errors
    ///
    /// Returns the errors the suite expects.
    pub(crate) async fn call(
        &self,
        call: &ToolCall,
        prompt: &ClientPrompt,
    ) -> Result<CallOutcome, ErrorData> {
        if let Some(outcome) = input::call(call, prompt).await? {
            return Ok(outcome);
        }
        if let Some(outcome) = questions::call(call, prompt).await? {
            return Ok(outcome);
        }
        if let Some(outcome) = tasks::call(call, prompt).await? {
            return Ok(outcome);
        }
        basic::call(self, call, prompt).await
    }

    /// Returns `true` if a fixture requests input before it becomes a task.
    pub(crate) fn requests_input_first(&self, tool: &str) -> bool {
        tool == "test_tool_with_task"
    }

    /// Requests the input of such a fixture. The result is added to the arguments of its task.
    ///
    /// # Errors
    ///
    /// Returns an error if the client does not support elicitation.
    pub(crate) async fn request_first_input(
        &self,
        prompt: &ClientPrompt,
    ) -> Result<JsonObject, ErrorData> {
        tasks::request_first_input(prompt).await
    }
}

fn text(words: impl Into<String>) -> CallToolResult {
    CallToolResult::success(vec![ContentBlock::text(words.into())])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_option_enables_the_fixtures() {
        assert!(Fixtures::from_options(&ServerOptions::default()).is_none());
        let options = ServerOptions { conformance: true, ..ServerOptions::default() };
        let fixtures = Fixtures::from_options(&options).unwrap();
        assert!(fixtures.tools().has("test_simple_text", deskhand_engine::SecurityMode::Normal));
    }
}
