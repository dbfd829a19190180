//! Tasks in the form of the 2026-07-28 extension.

use rmcp::model::{
    CallToolResult, DetailedTask, ErrorData, JsonObject, Task as WireTask, TaskPayload,
};
use serde::Serialize;
use serde_json::Value;

use super::store::{Task, TaskOutcome, TaskState};
use crate::timing;

/// Converts a task without its result, as the answer to a call.
pub(crate) fn summary(task: &Task) -> WireTask {
    let (updated, status_message) = task.last_update();
    let status = payload(task).status();
    let mut wire = WireTask::new(task.id.clone(), status, task.created.clone(), updated)
        .with_ttl_ms(u64::try_from(task.ttl.as_millis()).unwrap_or(u64::MAX))
        .with_poll_interval_ms(timing::TASK_POLL_INTERVAL_MS);
    wire.status_message = status_message;
    wire
}

/// Converts a task with its result or its input requests.
pub(crate) fn detailed(task: &Task) -> DetailedTask {
    DetailedTask::new(summary(task), payload(task))
}

fn payload(task: &Task) -> TaskPayload {
    match task.state() {
        TaskState::Working => TaskPayload::Working,
        TaskState::InputRequired(input_requests) => TaskPayload::InputRequired { input_requests },
        TaskState::Ended(TaskOutcome::Done(result)) => {
            TaskPayload::Completed { result: done(*result) }
        }
        TaskState::Ended(TaskOutcome::Error(error)) => {
            TaskPayload::Failed { error: object(&error) }
        }
        TaskState::Ended(TaskOutcome::Cancelled) => TaskPayload::Cancelled,
    }
}

fn done(result: CallToolResult) -> JsonObject {
    object(&result)
}

fn object(it: &impl Serialize) -> JsonObject {
    match serde_json::to_value(it) {
        Ok(Value::Object(object)) => object,
        Ok(_) | Err(_) => JsonObject::new(),
    }
}

/// Creates the error of a call that the server runs only as a task.
pub(crate) fn tasks_required() -> ErrorData {
    let capabilities = rmcp::model::ClientCapabilities::builder().enable_tasks().build();
    ErrorData::missing_required_client_capability(capabilities)
}
