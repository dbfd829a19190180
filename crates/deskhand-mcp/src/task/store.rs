//! The table of tasks.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use rmcp::{
    model::{CallToolResult, ErrorData, InputRequest, InputRequests},
    task_manager::current_timestamp,
};
use serde_json::Value;
use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;

use crate::{server::failure, timing};

/// Maximum number of tasks.
const MAX_TASKS: usize = 256;

/// The outcome of a task.
#[derive(Debug, Clone)]
pub(crate) enum TaskOutcome {
    /// The tool returned a result, possibly an error.
    Done(Box<CallToolResult>),
    /// The call failed with a JSON-RPC error.
    Error(ErrorData),
    /// The task was cancelled.
    Cancelled,
}

/// The state of a task.
#[derive(Debug, Clone)]
pub(crate) enum TaskState {
    /// The call is running.
    Working,
    /// The call waits for input.
    InputRequired(InputRequests),
    /// The task has ended.
    Ended(TaskOutcome),
}

/// A task.
#[derive(Debug)]
pub(crate) struct Task {
    /// An unguessable id.
    pub(crate) id: String,
    /// The connection or principal it belongs to.
    pub(crate) owner: String,
    /// The creation time as a timestamp.
    pub(crate) created: String,
    /// The time after which the task is removed.
    pub(crate) ttl: Duration,
    created_at: Instant,
    cancel_token: CancellationToken,
    changes: watch::Sender<u64>,
    inner: Mutex<TaskInner>,
}

#[derive(Debug)]
struct TaskInner {
    updated: String,
    status_message: Option<String>,
    outcome: Option<TaskOutcome>,
    pending_inputs: BTreeMap<String, PendingInput>,
    used: HashSet<String>,
}

#[derive(Debug)]
struct PendingInput {
    request: InputRequest,
    sent: bool,
    answer: oneshot::Sender<Value>,
}

impl Task {
    /// Requests input from the client. Returns `None` if the task ends first.
    pub(crate) async fn request_input(&self, key: &str, request: InputRequest) -> Option<Value> {
        let (answer, response) = oneshot::channel();
        {
            let mut inner = self.inner.lock();
            // Clients remember their responses by key, so every key is used once.
            let mut unique_key = key.to_owned();
            let mut suffix = 1;
            while !inner.used.insert(unique_key.clone()) {
                suffix += 1;
                unique_key = format!("{key}-{suffix}");
            }
            if inner.outcome.is_some() {
                return None;
            }
            inner.pending_inputs.insert(unique_key, PendingInput { request, sent: false, answer });
            inner.updated = current_timestamp();
        }
        self.notify_changed();
        response.await.ok()
    }

    /// Returns an input request that was not sent yet. The caller must send it.
    pub(crate) fn take_input_request(&self) -> Option<(String, InputRequest)> {
        let mut inner = self.inner.lock();
        let (key, pending) = inner.pending_inputs.iter_mut().find(|(_, pending)| !pending.sent)?;
        pending.sent = true;
        Some((key.clone(), pending.request.clone()))
    }

    /// Provides input. Responses to unknown keys are ignored.
    pub(crate) fn provide_input(&self, answers: impl IntoIterator<Item = (String, Value)>) {
        {
            let mut inner = self.inner.lock();
            for (key, value) in answers {
                if let Some(pending) = inner.pending_inputs.remove(&key) {
                    // The task may have ended.
                    let _ = pending.answer.send(value);
                }
            }
            inner.updated = current_timestamp();
        }
        self.notify_changed();
    }

    /// Sets the status message.
    pub(crate) fn set_status_message(&self, status_message: impl Into<String>) {
        {
            let mut inner = self.inner.lock();
            if inner.outcome.is_some() {
                return;
            }
            inner.status_message = Some(status_message.into());
            inner.updated = current_timestamp();
        }
        self.notify_changed();
    }

    /// Ends the task. Returns `false` if it had already ended.
    pub(crate) fn end(&self, outcome: TaskOutcome) -> bool {
        {
            let mut inner = self.inner.lock();
            if inner.outcome.is_some() {
                return false;
            }
            inner.outcome = Some(outcome);
            inner.pending_inputs.clear();
            inner.updated = current_timestamp();
        }
        self.notify_changed();
        true
    }

    /// Cancels the task. Returns `false` if it had already ended.
    pub(crate) fn cancel(&self) -> bool {
        self.cancel_token.cancel();
        self.end(TaskOutcome::Cancelled)
    }

    /// Returns the state.
    pub(crate) fn state(&self) -> TaskState {
        let inner = self.inner.lock();
        match &inner.outcome {
            Some(outcome) => TaskState::Ended(outcome.clone()),
            None if inner.pending_inputs.is_empty() => TaskState::Working,
            None => TaskState::InputRequired(
                inner
                    .pending_inputs
                    .iter()
                    .map(|(key, it)| (key.clone(), it.request.clone()))
                    .collect(),
            ),
        }
    }

    /// Returns the time of the last change and the status message.
    pub(crate) fn last_update(&self) -> (String, Option<String>) {
        let inner = self.inner.lock();
        (inner.updated.clone(), inner.status_message.clone())
    }

    /// Returns a receiver that is notified of every change.
    pub(crate) fn subscribe(&self) -> watch::Receiver<u64> {
        self.changes.subscribe()
    }

    /// Returns a token that is cancelled when the task's call should stop.
    pub(crate) fn cancel_token(&self) -> CancellationToken {
        self.cancel_token.clone()
    }

    fn notify_changed(&self) {
        self.changes.send_modify(|count| *count += 1);
    }
}

/// All tasks of a server.
#[derive(Debug, Clone, Default)]
pub(crate) struct Tasks(Arc<Mutex<HashMap<String, Arc<Task>>>>);

impl Tasks {
    /// Creates a task.
    ///
    /// # Errors
    ///
    /// Returns an error if there are too many tasks.
    pub(crate) fn create(&self, owner: &str, ttl: Duration) -> Result<Arc<Task>, ErrorData> {
        let mut table = self.0.lock();
        if table.len() >= MAX_TASKS {
            return Err(failure::unavailable("too many tasks; wait until some have expired"));
        }
        let now = current_timestamp();
        let task = Arc::new(Task {
            id: uuid::Uuid::new_v4().to_string(),
            owner: owner.to_owned(),
            created: now.clone(),
            ttl: ttl.min(timing::MAX_TASK_TTL),
            created_at: Instant::now(),
            cancel_token: CancellationToken::new(),
            changes: watch::Sender::new(0),
            inner: Mutex::new(TaskInner {
                updated: now,
                status_message: None,
                outcome: None,
                pending_inputs: BTreeMap::new(),
                used: HashSet::new(),
            }),
        });
        table.insert(task.id.clone(), Arc::clone(&task));
        self.remove_after_ttl(&task);
        Ok(task)
    }

    /// Returns a task.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such task.
    pub(crate) fn get(&self, id: &str) -> Result<Arc<Task>, ErrorData> {
        let found = self.0.lock().get(id).cloned();
        found.ok_or_else(|| ErrorData::invalid_params(format!("taskId: unknown task `{id}`"), None))
    }

    /// Returns a task of an owner.
    ///
    /// # Errors
    ///
    /// Returns an error if the owner has no such task.
    pub(crate) fn get_owned(&self, id: &str, owner: &str) -> Result<Arc<Task>, ErrorData> {
        match self.get(id) {
            Ok(task) if task.owner == owner => Ok(task),
            Ok(_) | Err(_) => {
                Err(ErrorData::invalid_params(format!("taskId: unknown task `{id}`"), None))
            }
        }
    }

    /// Returns the tasks of an owner, newest first.
    pub(crate) fn list(&self, owner: &str) -> Vec<Arc<Task>> {
        let mut all: Vec<_> =
            self.0.lock().values().filter(|task| task.owner == owner).cloned().collect();
        all.sort_by(|a, b| b.created_at.cmp(&a.created_at).then_with(|| a.id.cmp(&b.id)));
        all
    }

    /// Returns the number of tasks by status.
    pub(crate) fn count_by_status(&self) -> Vec<(&'static str, usize)> {
        let mut counts =
            ["working", "input_required", "completed", "failed", "cancelled"].map(|word| (word, 0));
        for task in self.0.lock().values() {
            let index = match task.state() {
                TaskState::Working => 0,
                TaskState::InputRequired(_) => 1,
                TaskState::Ended(TaskOutcome::Done(_)) => 2,
                TaskState::Ended(TaskOutcome::Error(_)) => 3,
                TaskState::Ended(TaskOutcome::Cancelled) => 4,
            };
            counts[index].1 += 1;
        }
        counts.to_vec()
    }

    /// Removes a task that its client does not know.
    pub(crate) fn remove(&self, task: &Task) {
        self.0.lock().remove(&task.id);
    }

    /// Cancels and removes all tasks of an owner.
    pub(crate) fn cancel_all(&self, owner: &str) {
        for task in self.list(owner) {
            task.cancel();
            self.remove(&task);
        }
    }

    fn remove_after_ttl(&self, task: &Arc<Task>) {
        let (table, task) = (Arc::downgrade(&self.0), Arc::downgrade(task));
        tokio::spawn(async move {
            let Some(ttl) = task.upgrade().map(|task| task.ttl) else { return };
            tokio::time::sleep(ttl).await;
            let Some(task) = task.upgrade() else { return };
            task.cancel_token.cancel();
            task.end(TaskOutcome::Error(failure::unavailable("the task exceeded its ttl")));
            if let Some(table) = Weak::upgrade(&table) {
                table.lock().remove(&task.id);
            }
        });
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::input::InputQuery;

    const LONG: Duration = Duration::from_secs(60);

    fn form() -> InputRequest {
        let schema = json!({ "type": "object", "properties": { "x": { "type": "string" } } });
        InputQuery::ElicitForm { message: "?".to_owned(), schema }.into_request().unwrap()
    }

    #[tokio::test]
    async fn a_task_continues_after_its_input() {
        let task = Tasks::default().create("me", LONG).unwrap();
        let mut changes = task.subscribe();
        let asking = tokio::spawn({
            let task = Arc::clone(&task);
            async move { task.request_input("name", form()).await }
        });
        changes.changed().await.unwrap();
        assert!(matches!(task.state(), TaskState::InputRequired(all) if all.contains_key("name")));
        assert_eq!(task.take_input_request().unwrap().0, "name");
        assert!(task.take_input_request().is_none(), "an input request is sent once");
        task.provide_input([
            ("other".to_owned(), json!(1)),
            ("name".to_owned(), json!({ "a": 1 })),
        ]);
        assert_eq!(asking.await.unwrap(), Some(json!({ "a": 1 })));
        assert!(matches!(task.state(), TaskState::Working));
    }

    #[tokio::test]
    async fn an_ended_task_does_not_change() {
        let task = Tasks::default().create("me", LONG).unwrap();
        assert!(task.cancel());
        assert!(task.cancel_token().is_cancelled());
        assert!(!task.end(TaskOutcome::Done(Box::new(CallToolResult::success(Vec::new())))));
        assert!(!task.cancel());
        assert!(matches!(task.state(), TaskState::Ended(TaskOutcome::Cancelled)));
        assert_eq!(task.request_input("late", form()).await, None);
    }

    #[tokio::test]
    async fn cancelling_ends_a_wait_for_input() {
        let task = Tasks::default().create("me", LONG).unwrap();
        let mut changes = task.subscribe();
        let asking = tokio::spawn({
            let task = Arc::clone(&task);
            async move { task.request_input("name", form()).await }
        });
        changes.changed().await.unwrap();
        task.cancel();
        assert_eq!(asking.await.unwrap(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_task_is_removed_after_its_ttl() {
        let tasks = Tasks::default();
        let task = tasks.create("me", Duration::from_secs(5)).unwrap();
        assert!(tasks.get(&task.id).is_ok());
        tokio::time::sleep(Duration::from_secs(6)).await;
        assert_eq!(tasks.get(&task.id).unwrap_err().code.0, -32602);
        assert!(task.cancel_token().is_cancelled());
    }

    #[tokio::test]
    async fn tasks_belong_to_an_owner_and_are_limited() {
        let tasks = Tasks::default();
        let mine = tasks.create("me", LONG).unwrap();
        assert!(tasks.get_owned(&mine.id, "me").is_ok());
        assert_eq!(tasks.get_owned(&mine.id, "you").unwrap_err().code.0, -32602);
        for _ in 1..MAX_TASKS {
            tasks.create("you", LONG).unwrap();
        }
        assert_eq!(tasks.create("you", LONG).unwrap_err().code.0, -32000);
        assert_eq!(tasks.list("me").len(), 1);
        tasks.cancel_all("you");
        assert!(tasks.create("you", LONG).is_ok());
    }
}
