//! Tasks in the form of 2025-11-25: the client requests a task with the call, and gets the result by a
//! request that waits.

use std::{sync::Arc, time::Duration};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, ErrorData, PaginatedRequestParams, RequestMetaObject,
};
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use super::store::{Outcome, Standing, Task};
use crate::{
    ask::{self, Heard},
    server::{client::Client, custom::params, failure, paging, state::Connection},
    tool::{call, list::Support},
    wire::inbound::{TaskMethod, unknown_method},
};

/// Maximum number of tasks per page.
const PAGE: usize = 50;

/// The `_meta` key that names the task of a message.
const RELATED: &str = "io.modelcontextprotocol/related-task";

/// The `_meta` key of a text for the client's model.
const IMMEDIATE: &str = "io.modelcontextprotocol/model-immediate-response";

#[derive(Deserialize)]
struct Asked {
    #[serde(flatten)]
    call: CallToolRequestParams,
    task: Wish,
}

#[derive(Deserialize)]
struct Wish {
    ttl: Option<f64>,
}

#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct Named {
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
    if !client.era.has_asked_tasks() {
        return match method {
            // Older versions ignore the field.
            TaskMethod::Call => direct(connection, client, given).await,
            TaskMethod::Get | TaskMethod::List | TaskMethod::Result | TaskMethod::Cancel => {
                Err(unknown_method(method.outer()))
            }
        };
    }
    match method {
        TaskMethod::Call => begin(connection, client, given),
        TaskMethod::Get => Ok(shape(named(connection, given)?.as_ref())),
        TaskMethod::List => list(connection, given),
        TaskMethod::Result => result(&client, named(connection, given)?.as_ref()).await,
        TaskMethod::Cancel => {
            let task = named(connection, given)?;
            if task.cancel() {
                Ok(shape(&task))
            } else {
                let why = format!("taskId: task `{}` has already ended", task.id);
                Err(ErrorData::invalid_params(why, None))
            }
        }
    }
}

async fn direct(
    connection: &Arc<Connection>,
    client: Client,
    given: Option<Value>,
) -> Result<Value, ErrorData> {
    let params: CallToolRequestParams = read(given)?;
    // In these versions input is requested during the call, so it always has a result.
    let CallToolResponse::Complete(mut result) = call::call(connection, client, params).await?
    else {
        return Err(ErrorData::internal_error("the call has no result", None));
    };
    result.result_type = None;
    Ok(json!(result))
}

fn begin(
    connection: &Arc<Connection>,
    client: Client,
    given: Option<Value>,
) -> Result<Value, ErrorData> {
    let asked: Asked = read(given)?;
    let offered = connection.state.tools.get(&asked.call.name)?;
    if offered.support == Support::Never {
        let why = format!("`{}` cannot run as a task; call it without `task`", asked.call.name);
        return Err(ErrorData::new(rmcp::model::ErrorCode::METHOD_NOT_FOUND, why, None));
    }
    let life = match asked.task.ttl {
        None => LIFE,
        Some(ttl) => Duration::try_from_secs_f64(ttl / 1000.0).map_err(|_| {
            ErrorData::invalid_params("task.ttl: expected a number of milliseconds", None)
        })?,
    };
    let task = connection.state.tasks.begin(&connection.id, life)?;
    let name = asked.call.name.clone();
    task.say(format!("`{name}` started"));
    tokio::spawn(report(client.clone(), Arc::clone(&task)));
    call::spawn(connection, client, asked.call, &task);
    let words = format!(
        "`{name}` runs as task {}; tasks/result returns its result. Continue with other work.",
        task.id
    );
    Ok(json!({ "task": shape(&task), "_meta": { (IMMEDIATE): words } }))
}

/// Notifies the client of every change of status or status message, until the task ends.
async fn report(client: Client, task: Arc<Task>) {
    let mut news = task.watch();
    let told = |task: &Task| (status(&task.standing()), task.latest().1);
    let mut last = told(&task);
    while news.changed().await.is_ok() {
        let (standing, shape) = (task.standing(), shape(&task));
        let now = told(&task);
        if now != last {
            client.tell("notifications/tasks/status", shape).await;
            last = now;
        }
        if matches!(standing, Standing::Ended(_)) {
            return;
        }
    }
}

fn list(connection: &Connection, given: Option<Value>) -> Result<Value, ErrorData> {
    let asked: Option<PaginatedRequestParams> = given.map(|given| read(Some(given))).transpose()?;
    let all = connection.state.tasks.of(&connection.id);
    let page = paging::page(all, asked, PAGE, |task| task.id.clone())?;
    let tasks: Vec<Value> = page.items.iter().map(|task| shape(task)).collect();
    let mut value = json!({ "tasks": tasks });
    if let Some(next) = page.next {
        value["nextCursor"] = json!(next);
    }
    Ok(value)
}

/// Waits until the task ends. Its input requests are sent during the wait, as they belong to this
/// request.
async fn result(client: &Client, task: &Task) -> Result<Value, ErrorData> {
    let mut news = task.watch();
    loop {
        match task.standing() {
            Standing::Ended(Outcome::Done(mut result)) => {
                result.result_type = None;
                let mut value = json!(result);
                value["_meta"][RELATED] = json!({ "taskId": task.id });
                return Ok(value);
            }
            Standing::Ended(Outcome::Error(error)) => return Err(error),
            Standing::Ended(Outcome::Cancelled) => {
                return Err(failure::not_now(format!("task `{}` was cancelled", task.id)));
            }
            Standing::Working => {}
            Standing::Asks(_) => {
                if let Some((key, request)) = task.question() {
                    let mut meta = RequestMetaObject::default();
                    meta.0.0.insert(RELATED.to_owned(), json!({ "taskId": task.id }));
                    let heard = tokio::select! {
                        heard = ask::ask_live(client, request, Some(meta)) => heard,
                        () = async { task.stop().cancelled().await } => Heard::Silence,
                    };
                    let answer = match heard {
                        Heard::Answer(answer) => answer,
                        Heard::Nobody | Heard::Later | Heard::Silence => {
                            json!({ "action": "cancel" })
                        }
                    };
                    task.answer([(key, answer)]);
                    continue;
                }
            }
        }
        tokio::select! {
            changed = news.changed() => if changed.is_err() {
                return Err(failure::not_now("the task has expired"));
            },
            () = client.stop.cancelled() => {
                return Err(failure::not_now("the request was cancelled"));
            }
        }
    }
}

fn named(connection: &Connection, given: Option<Value>) -> Result<Arc<Task>, ErrorData> {
    let named: Named = read(given)?;
    connection.state.tasks.owned(&named.task_id, &connection.id)
}

fn read<T: DeserializeOwned>(given: Option<Value>) -> Result<T, ErrorData> {
    params(given.unwrap_or_else(|| json!({})))
}

/// Returns the status as 2025-11-25 names it: a tool error is a failure here.
fn status(standing: &Standing) -> &'static str {
    match standing {
        Standing::Working => "working",
        Standing::Asks(_) => "input_required",
        Standing::Ended(Outcome::Done(result)) if result.is_error == Some(true) => "failed",
        Standing::Ended(Outcome::Done(_)) => "completed",
        Standing::Ended(Outcome::Error(_)) => "failed",
        Standing::Ended(Outcome::Cancelled) => "cancelled",
    }
}

fn shape(task: &Task) -> Value {
    let (updated, words) = task.latest();
    let mut value = json!({
        "taskId": task.id,
        "status": status(&task.standing()),
        "createdAt": task.created,
        "lastUpdatedAt": updated,
        "ttl": u64::try_from(task.life.as_millis()).unwrap_or(u64::MAX),
        "pollInterval": POLL_MS,
    });
    if let Some(words) = words {
        value["statusMessage"] = json!(words);
    }
    value
}
