//! Tasks in the form of 2025-11-25: the client requests a task with the call, and gets the result
//! by a request that waits.

use std::{sync::Arc, time::Duration};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorData, PaginatedRequestParams, RequestMetaObject,
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::store::{Task, TaskOutcome, TaskState};
use crate::{
    input::{self, InputOutcome},
    server::{client::Client, custom::params, failure, paging, state::Connection},
    timing,
    tool::{call, list::TaskMode},
    wire::inbound::{TaskMethod, unknown_method},
};

/// Maximum number of tasks per page.
const PAGE_SIZE: usize = 50;

/// The `_meta` key that names the task of a message.
const RELATED_TASK: &str = "io.modelcontextprotocol/related-task";

/// The `_meta` key of a text for the client's model.
const IMMEDIATE_RESPONSE: &str = "io.modelcontextprotocol/model-immediate-response";

#[derive(Deserialize)]
struct TaskCallParams {
    #[serde(flatten)]
    call: CallToolRequestParams,

    task: TaskRequest,
}

#[derive(Deserialize)]
struct TaskRequest {
    ttl: Option<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct TaskIdParams {
    task_id: String,
}

/// Serves a task method.
///
/// # Errors
///
/// Returns an error if the client's version has no tasks, or if there is no such task.
pub(crate) async fn serve(
    connection: &Arc<Connection>,
    client: Client,
    method: TaskMethod,
    given: Option<Value>,
) -> Result<Value, ErrorData> {
    if !client.era.has_task_requests() {
        return match method {
            // Older versions ignore the field.
            TaskMethod::Call => call_directly(connection, client, given).await,
            TaskMethod::Get | TaskMethod::List | TaskMethod::Result | TaskMethod::Cancel => {
                Err(unknown_method(method.wire_name()))
            }
        };
    }
    match method {
        TaskMethod::Call => create_task(connection, client, given),
        TaskMethod::Get => Ok(to_json(find_task(connection, given)?.as_ref())),
        TaskMethod::List => list_tasks(connection, given),
        TaskMethod::Result => {
            wait_for_result(&client, find_task(connection, given)?.as_ref()).await
        }
        TaskMethod::Cancel => {
            let task = find_task(connection, given)?;
            if task.cancel() {
                Ok(to_json(&task))
            } else {
                let why = format!("taskId: task `{}` has already ended", task.id);
                Err(ErrorData::invalid_params(why, None))
            }
        }
    }
}

async fn call_directly(
    connection: &Arc<Connection>,
    client: Client,
    given: Option<Value>,
) -> Result<Value, ErrorData> {
    let params: CallToolRequestParams = parse_params(given)?;
    // In these versions input is requested during the call, so it always has a result.
    let CallToolResponse::Complete(mut result) =
        call::call_tool(connection, client, params).await?
    else {
        return Err(ErrorData::internal_error("the call has no result", None));
    };
    result.result_type = None;
    Ok(json!(result))
}

fn create_task(
    connection: &Arc<Connection>,
    client: Client,
    given: Option<Value>,
) -> Result<Value, ErrorData> {
    let request: TaskCallParams = parse_params(given)?;
    let offered = connection.state.tools.get(&request.call.name)?;
    if offered.task_mode == TaskMode::Never {
        let why = format!("`{}` cannot run as a task; call it without `task`", request.call.name);
        return Err(ErrorData::new(rmcp::model::ErrorCode::METHOD_NOT_FOUND, why, None));
    }
    let ttl = match request.task.ttl {
        None => timing::LEGACY_TASK_TTL,
        Some(ttl) => Duration::try_from_secs_f64(ttl / 1000.0).map_err(|_| {
            ErrorData::invalid_params("task.ttl: expected a number of milliseconds", None)
        })?,
    };
    let task = connection.state.tasks.create(&connection.id, ttl)?;
    let name = request.call.name.clone();
    task.set_status_message(format!("`{name}` started"));
    tokio::spawn(send_status(client.clone(), Arc::clone(&task)));
    call::spawn(connection, client, request.call, &task);
    let message = format!(
        "`{name}` runs as task {}; tasks/result returns its result. Continue with other work.",
        task.id
    );
    Ok(json!({ "task": to_json(&task), "_meta": { (IMMEDIATE_RESPONSE): message } }))
}

/// Notifies the client of every change of status or status message, until the task ends.
async fn send_status(client: Client, task: Arc<Task>) {
    let mut changes = task.subscribe();
    let snapshot = |task: &Task| (status(&task.state()), task.last_update().1);
    let mut last = snapshot(&task);
    while changes.changed().await.is_ok() {
        let (state, shape) = (task.state(), to_json(&task));
        let now = snapshot(&task);
        if now != last {
            client.notify_custom("notifications/tasks/status", shape).await;
            last = now;
        }
        if matches!(state, TaskState::Ended(_)) {
            return;
        }
    }
}

fn list_tasks(connection: &Connection, given: Option<Value>) -> Result<Value, ErrorData> {
    let request: Option<PaginatedRequestParams> =
        given.map(|given| parse_params(Some(given))).transpose()?;
    let all = connection.state.tasks.list(&connection.id);
    let page = paging::paginate(all, request, PAGE_SIZE, |task| task.id.clone())?;
    let tasks: Vec<Value> = page.items.iter().map(|task| to_json(task)).collect();
    let mut value = json!({ "tasks": tasks });
    if let Some(next) = page.next {
        value["nextCursor"] = json!(next);
    }
    Ok(value)
}

/// Waits until the task ends. Its input requests are sent during the wait, as they belong to this
/// request.
async fn wait_for_result(client: &Client, task: &Task) -> Result<Value, ErrorData> {
    let mut changes = task.subscribe();
    loop {
        match task.state() {
            TaskState::Ended(TaskOutcome::Done(mut result)) => {
                result.result_type = None;
                let mut value = json!(result);
                value["_meta"][RELATED_TASK] = json!({ "taskId": task.id });
                return Ok(value);
            }
            TaskState::Ended(TaskOutcome::Error(error)) => return Err(error),
            TaskState::Ended(TaskOutcome::Cancelled) => {
                return Err(failure::unavailable(format!("task `{}` was cancelled", task.id)));
            }
            TaskState::Working => {}
            TaskState::InputRequired(_) => {
                if let Some((key, request)) = task.take_input_request() {
                    let mut meta = RequestMetaObject::default();
                    meta.0.0.insert(RELATED_TASK.to_owned(), json!({ "taskId": task.id }));
                    let outcome = tokio::select! {
                        outcome = input::send_request(client, request, Some(meta)) => outcome,
                        () = async { task.cancel_token().cancelled().await } => InputOutcome::NoAnswer,
                    };
                    let answer = match outcome {
                        InputOutcome::Answer(answer) => answer,
                        InputOutcome::Unsupported
                        | InputOutcome::Deferred
                        | InputOutcome::NoAnswer => {
                            json!({ "action": "cancel" })
                        }
                    };
                    task.provide_input([(key, answer)]);
                    continue;
                }
            }
        }
        tokio::select! {
            changed = changes.changed() => if changed.is_err() {
                return Err(failure::unavailable("the task has expired"));
            },
            () = client.cancel.cancelled() => {
                return Err(failure::unavailable("the request was cancelled"));
            }
        }
    }
}

fn find_task(connection: &Connection, given: Option<Value>) -> Result<Arc<Task>, ErrorData> {
    let params: TaskIdParams = parse_params(given)?;
    connection.state.tasks.get_owned(&params.task_id, &connection.id)
}

fn parse_params<T: DeserializeOwned>(given: Option<Value>) -> Result<T, ErrorData> {
    params(given.unwrap_or_else(|| json!({})))
}

/// Returns the status as 2025-11-25 names it: a tool error is a failure here.
fn status(state: &TaskState) -> &'static str {
    match state {
        TaskState::Working => "working",
        TaskState::InputRequired(_) => "input_required",
        TaskState::Ended(TaskOutcome::Done(result)) if result.is_error == Some(true) => "failed",
        TaskState::Ended(TaskOutcome::Done(_)) => "completed",
        TaskState::Ended(TaskOutcome::Error(_)) => "failed",
        TaskState::Ended(TaskOutcome::Cancelled) => "cancelled",
    }
}

fn to_json(task: &Task) -> Value {
    let (updated, message) = task.last_update();
    let mut value = json!({
        "taskId": task.id,
        "status": status(&task.state()),
        "createdAt": task.created,
        "lastUpdatedAt": updated,
        "ttl": u64::try_from(task.ttl.as_millis()).unwrap_or(u64::MAX),
        "pollInterval": timing::TASK_POLL_INTERVAL_MS,
    });
    if let Some(message) = message {
        value["statusMessage"] = json!(message);
    }
    value
}
