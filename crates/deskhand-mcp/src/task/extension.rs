//! Tasks in the form of the 2026-07-28 extension.

use rmcp::model::{CallToolResult, DetailedTask, ErrorData, JsonObject, Task as Wire, TaskPayload};
use serde::Serialize;
use serde_json::Value;

use super::store::{Outcome, Standing, Task};

/// Converts a task without its result, as the answer to a call.
pub(crate) fn brief(task: &Task) -> Wire {
    let (updated, words) = task.latest();
    let status = payload(task).status();
    let mut wire = Wire::new(task.id.clone(), status, task.created.clone(), updated)
        .with_ttl_ms(u64::try_from(task.life.as_millis()).unwrap_or(u64::MAX))
        .with_poll_interval_ms(POLL_MS);
    wire.status_message = words;
    wire
}

/// Converts a task with its result or its input requests.
pub(crate) fn detailed(task: &Task) -> DetailedTask {
    DetailedTask::new(brief(task), payload(task))
}

fn payload(task: &Task) -> TaskPayload {
    match task.standing() {
        Standing::Working => TaskPayload::Working,
        Standing::Asks(input_requests) => TaskPayload::InputRequired { input_requests },
        Standing::Ended(Outcome::Done(result)) => TaskPayload::Completed { result: done(*result) },
        Standing::Ended(Outcome::Error(error)) => TaskPayload::Failed { error: object(&error) },
        Standing::Ended(Outcome::Cancelled) => TaskPayload::Cancelled,
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
pub(crate) fn needed() -> ErrorData {
    let capabilities = rmcp::model::ClientCapabilities::builder().enable_tasks().build();
    ErrorData::missing_required_client_capability(capabilities)
}
