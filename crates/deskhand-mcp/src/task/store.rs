//! The table of tasks.

use std::{
    collections::{BTreeMap, HashMap, HashSet},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::{Duration, Instant},
};

use rmcp::{
    model::{CallToolResult, ErrorData, InputRequest, InputRequests},
    task_manager::current_timestamp,
};
use serde_json::Value;
use tokio::sync::{oneshot, watch};
use tokio_util::sync::CancellationToken;

use crate::server::failure;

/// Maximum number of tasks.
const MOST: usize = 256;

/// The outcome of a task.
#[derive(Debug, Clone)]
pub(crate) enum Outcome {
    /// The tool returned a result, possibly an error.
    Done(Box<CallToolResult>),
    /// The call failed with a JSON-RPC error.
    Error(ErrorData),
    /// The task was cancelled.
    Cancelled,
}

/// The state of a task.
#[derive(Debug, Clone)]
pub(crate) enum Standing {
    /// The call is running.
    Working,
    /// The call waits for input.
    Asks(InputRequests),
    /// The task has ended.
    Ended(Outcome),
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
    pub(crate) life: Duration,
    born: Instant,
    stop: CancellationToken,
    news: watch::Sender<u64>,
    inner: Mutex<Inner>,
}

#[derive(Debug)]
struct Inner {
    updated: String,
    words: Option<String>,
    outcome: Option<Outcome>,
    questions: BTreeMap<String, Waiting>,
    used: HashSet<String>,
}

#[derive(Debug)]
struct Waiting {
    request: InputRequest,
    put: bool,
    answer: oneshot::Sender<Value>,
}

impl Task {
    /// Requests input from the client. Returns `None` if the task ends first.
    pub(crate) async fn ask(&self, key: &str, request: InputRequest) -> Option<Value> {
        let (answer, heard) = oneshot::channel();
        {
            let mut inner = self.inner();
            // Clients remember their responses by key, so every key is used once.
            let mut name = key.to_owned();
            let mut again = 1;
            while !inner.used.insert(name.clone()) {
                again += 1;
                name = format!("{key}-{again}");
            }
            if inner.outcome.is_some() {
                return None;
            }
            inner.questions.insert(name, Waiting { request, put: false, answer });
            inner.updated = current_timestamp();
        }
        self.changed();
        heard.await.ok()
    }

    /// Returns an input request that was not sent yet. The caller must send it.
    pub(crate) fn question(&self) -> Option<(String, InputRequest)> {
        let mut inner = self.inner();
        let (key, waiting) = inner.questions.iter_mut().find(|(_, waiting)| !waiting.put)?;
        waiting.put = true;
        Some((key.clone(), waiting.request.clone()))
    }

    /// Provides input. Responses to unknown keys are ignored.
    pub(crate) fn answer(&self, answers: impl IntoIterator<Item = (String, Value)>) {
        {
            let mut inner = self.inner();
            for (key, value) in answers {
                if let Some(waiting) = inner.questions.remove(&key) {
                    // The task may have ended.
                    let _ = waiting.answer.send(value);
                }
            }
            inner.updated = current_timestamp();
        }
        self.changed();
    }

    /// Sets the status message.
    pub(crate) fn say(&self, words: impl Into<String>) {
        {
            let mut inner = self.inner();
            if inner.outcome.is_some() {
                return;
            }
            inner.words = Some(words.into());
            inner.updated = current_timestamp();
        }
        self.changed();
    }

    /// Ends the task. Returns `false` if it had already ended.
    pub(crate) fn end(&self, outcome: Outcome) -> bool {
        {
            let mut inner = self.inner();
            if inner.outcome.is_some() {
                return false;
            }
            inner.outcome = Some(outcome);
            inner.questions.clear();
            inner.updated = current_timestamp();
        }
        self.changed();
        true
    }

    /// Cancels the task. Returns `false` if it had already ended.
    pub(crate) fn cancel(&self) -> bool {
        self.stop.cancel();
        self.end(Outcome::Cancelled)
    }

    /// Returns the state.
    pub(crate) fn standing(&self) -> Standing {
        let inner = self.inner();
        match &inner.outcome {
            Some(outcome) => Standing::Ended(outcome.clone()),
            None if inner.questions.is_empty() => Standing::Working,
            None => Standing::Asks(
                inner.questions.iter().map(|(key, it)| (key.clone(), it.request.clone())).collect(),
            ),
        }
    }

    /// Returns the time of the last change and the status message.
    pub(crate) fn latest(&self) -> (String, Option<String>) {
        let inner = self.inner();
        (inner.updated.clone(), inner.words.clone())
    }

    /// Returns a receiver that is notified of every change.
    pub(crate) fn watch(&self) -> watch::Receiver<u64> {
        self.news.subscribe()
    }

    /// Returns a token that is cancelled when the task's call should stop.
    pub(crate) fn stop(&self) -> CancellationToken {
        self.stop.clone()
    }

    fn changed(&self) {
        self.news.send_modify(|count| *count += 1);
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
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
    pub(crate) fn begin(&self, owner: &str, life: Duration) -> Result<Arc<Task>, ErrorData> {
        let mut table = self.table();
        if table.len() >= MOST {
            return Err(failure::not_now(
                "too many tasks; wait until some have expired",
            ));
        }
        let now = current_timestamp();
        let task = Arc::new(Task {
            id: uuid::Uuid::new_v4().to_string(),
            owner: owner.to_owned(),
            created: now.clone(),
            life: life.min(LONGEST),
            born: Instant::now(),
            stop: CancellationToken::new(),
            news: watch::Sender::new(0),
            inner: Mutex::new(Inner {
                updated: now,
                words: None,
                outcome: None,
                questions: BTreeMap::new(),
                used: HashSet::new(),
            }),
        });
        table.insert(task.id.clone(), Arc::clone(&task));
        self.forget_in_time(&task);
        Ok(task)
    }

    /// Returns a task.
    ///
    /// # Errors
    ///
    /// Returns an error if there is no such task.
    pub(crate) fn get(&self, id: &str) -> Result<Arc<Task>, ErrorData> {
        let found = self.table().get(id).cloned();
        found.ok_or_else(|| {
            ErrorData::invalid_params(format!("taskId: unknown task `{id}`"), None)
        })
    }

    /// Returns a task of an owner.
    ///
    /// # Errors
    ///
    /// Returns an error if the owner has no such task.
    pub(crate) fn owned(&self, id: &str, owner: &str) -> Result<Arc<Task>, ErrorData> {
        match self.get(id) {
            Ok(task) if task.owner == owner => Ok(task),
            Ok(_) | Err(_) => {
                Err(ErrorData::invalid_params(format!("taskId: unknown task `{id}`"), None))
            }
        }
    }

    /// Returns the tasks of an owner, newest first.
    pub(crate) fn of(&self, owner: &str) -> Vec<Arc<Task>> {
        let mut all: Vec<_> =
            self.table().values().filter(|task| task.owner == owner).cloned().collect();
        all.sort_by(|a, b| b.born.cmp(&a.born).then_with(|| a.id.cmp(&b.id)));
        all
    }

    /// Returns the number of tasks by status.
    pub(crate) fn standings(&self) -> Vec<(&'static str, usize)> {
        let mut counts =
            ["working", "input_required", "completed", "failed", "cancelled"].map(|word| (word, 0));
        for task in self.table().values() {
            let place = match task.standing() {
                Standing::Working => 0,
                Standing::Asks(_) => 1,
                Standing::Ended(Outcome::Done(_)) => 2,
                Standing::Ended(Outcome::Error(_)) => 3,
                Standing::Ended(Outcome::Cancelled) => 4,
            };
            counts[place].1 += 1;
        }
        counts.to_vec()
    }

    /// Removes a task that its client does not know.
    pub(crate) fn forget(&self, task: &Task) {
        self.table().remove(&task.id);
    }

    /// Cancels and removes all tasks of an owner.
    pub(crate) fn end_all_of(&self, owner: &str) {
        for task in self.of(owner) {
            task.cancel();
            self.forget(&task);
        }
    }

    fn forget_in_time(&self, task: &Arc<Task>) {
        let (table, task) = (Arc::downgrade(&self.0), Arc::downgrade(task));
        tokio::spawn(async move {
            let Some(life) = task.upgrade().map(|task| task.life) else { return };
            tokio::time::sleep(life).await;
            let Some(task) = task.upgrade() else { return };
            task.stop.cancel();
            task.end(Outcome::Error(failure::not_now("the task exceeded its ttl")));
            if let Some(table) = Weak::upgrade(&table) {
                table.lock().unwrap_or_else(PoisonError::into_inner).remove(&task.id);
            }
        });
    }

    fn table(&self) -> MutexGuard<'_, HashMap<String, Arc<Task>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ask::Query;

    const LONG: Duration = Duration::from_secs(60);

    fn form() -> InputRequest {
        let schema = json!({ "type": "object", "properties": { "x": { "type": "string" } } });
        Query::Form { message: "?".to_owned(), schema }.request().unwrap()
    }

    #[tokio::test]
    async fn a_task_continues_after_its_input() {
        let task = Tasks::default().begin("me", LONG).unwrap();
        let mut news = task.watch();
        let asking = tokio::spawn({
            let task = Arc::clone(&task);
            async move { task.ask("name", form()).await }
        });
        news.changed().await.unwrap();
        assert!(matches!(task.standing(), Standing::Asks(all) if all.contains_key("name")));
        assert_eq!(task.question().unwrap().0, "name");
        assert!(task.question().is_none(), "an input request is sent once");
        task.answer([("other".to_owned(), json!(1)), ("name".to_owned(), json!({ "a": 1 }))]);
        assert_eq!(asking.await.unwrap(), Some(json!({ "a": 1 })));
        assert!(matches!(task.standing(), Standing::Working));
    }

    #[tokio::test]
    async fn an_ended_task_does_not_change() {
        let task = Tasks::default().begin("me", LONG).unwrap();
        assert!(task.cancel());
        assert!(task.stop().is_cancelled());
        assert!(!task.end(Outcome::Done(Box::new(CallToolResult::success(Vec::new())))));
        assert!(!task.cancel());
        assert!(matches!(task.standing(), Standing::Ended(Outcome::Cancelled)));
        assert_eq!(task.ask("late", form()).await, None);
    }

    #[tokio::test]
    async fn cancelling_ends_a_wait_for_input() {
        let task = Tasks::default().begin("me", LONG).unwrap();
        let mut news = task.watch();
        let asking = tokio::spawn({
            let task = Arc::clone(&task);
            async move { task.ask("name", form()).await }
        });
        news.changed().await.unwrap();
        task.cancel();
        assert_eq!(asking.await.unwrap(), None);
    }

    #[tokio::test(start_paused = true)]
    async fn a_task_is_removed_after_its_ttl() {
        let tasks = Tasks::default();
        let task = tasks.begin("me", Duration::from_secs(5)).unwrap();
        assert!(tasks.get(&task.id).is_ok());
        tokio::time::sleep(Duration::from_secs(6)).await;
        assert_eq!(tasks.get(&task.id).unwrap_err().code.0, -32602);
        assert!(task.stop().is_cancelled());
    }

    #[tokio::test]
    async fn tasks_belong_to_an_owner_and_are_limited() {
        let tasks = Tasks::default();
        let mine = tasks.begin("me", LONG).unwrap();
        assert!(tasks.owned(&mine.id, "me").is_ok());
        assert_eq!(tasks.owned(&mine.id, "you").unwrap_err().code.0, -32602);
        for _ in 1..MOST {
            tasks.begin("you", LONG).unwrap();
        }
        assert_eq!(tasks.begin("you", LONG).unwrap_err().code.0, -32000);
        assert_eq!(tasks.of("me").len(), 1);
        tasks.end_all_of("you");
        assert!(tasks.begin("you", LONG).is_ok());
    }
}
