//! `tools/call`: answered with a result, with input requests, or with a task.

use std::{
    sync::Arc,
    time::{Duration, Instant},
};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CreateTaskResult, ErrorCode,
    ErrorData, JsonObject,
};

use super::{
    list::{Bound, Support},
    running,
};
use crate::{
    ask::Voice,
    conformance,
    server::{
        client::{Client, Era},
        failure, scope,
        state::Connection,
    },
    task::{
        extension,
        store::{Outcome, Standing, Task},
    },
};

/// Maximum number of running and waiting calls per connection.
const QUEUE: usize = 64;

/// A call of a tool.
#[derive(Debug)]
pub(crate) struct Job {
    /// The connection.
    pub(crate) connection: Arc<Connection>,
    /// The tool.
    pub(crate) tool: String,
    /// Its arguments.
    pub(crate) arguments: JsonObject,
}

/// The outcome of a call.
#[derive(Debug)]
pub(crate) enum Ran {
    /// A result.
    Done(Box<CallToolResult>),
    /// Input requests, which are stored in the prompt.
    Asks,
}

impl From<CallToolResult> for Ran {
    fn from(result: CallToolResult) -> Self {
        Self::Done(Box::new(result))
    }
}

/// Serves `tools/call`.
///
/// # Errors
///
/// Returns an error if the tool does not exist, or if the client does not support tasks and the tool
/// requires them.
pub(crate) async fn call(
    connection: &Arc<Connection>,
    client: Client,
    params: CallToolRequestParams,
) -> Result<CallToolResponse, ErrorData> {
    let support = connection.state.tools.get(&params.name)?.support;
    let knows_tasks = client.era == Era::Modern && client.capabilities.supports_tasks();
    match support {
        Support::Optional | Support::Required if knows_tasks => {
            perhaps_as_task(connection, client, params).await
        }
        Support::Required => Err(match client.era {
            Era::Modern => extension::needed(),
            Era::Handshake(_) => {
                let why = format!("`{}` runs only as a task", params.name);
                ErrorData::new(ErrorCode::METHOD_NOT_FOUND, why, None)
            }
        }),
        Support::Never | Support::Optional => directly(connection, client, params).await,
    }
}

async fn directly(
    connection: &Arc<Connection>,
    client: Client,
    params: CallToolRequestParams,
) -> Result<CallToolResponse, ErrorData> {
    let seals = &connection.state.seals;
    let voice = Voice::of_call(client, &params, seals)?;
    match run(&job(connection, params), &voice).await? {
        Ran::Done(result) => Ok((*result).into()),
        Ran::Asks => match voice.unanswered(seals)? {
            Some(required) => Ok(required.into()),
            None => Err(ErrorData::internal_error("an input request was lost", None)),
        },
    }
}

/// Runs the call as a task, and answers with its result if it ends soon.
async fn perhaps_as_task(
    connection: &Arc<Connection>,
    client: Client,
    params: CallToolRequestParams,
) -> Result<CallToolResponse, ErrorData> {
    let fixtures = connection.state.fixtures.is_some();
    let mut answers = None;
    if fixtures && conformance::asks_first(&params.name) {
        let seals = &connection.state.seals;
        let voice = Voice::of_call(client.clone(), &params, seals)?;
        answers = Some(conformance::ask_first(&voice).await?);
        if let Some(required) = voice.unanswered(seals)? {
            return Ok(required.into());
        }
    }
    let task = connection.state.tasks.begin(connection.owner(&client), extension::LIFE)?;
    task.say(format!("`{}` started", params.name));
    let mut news = task.watch();
    let gone = client.stop.clone();
    let mut params = params;
    if let Some(answers) = answers {
        params.arguments.get_or_insert_default().extend(answers);
    }
    spawn(connection, client, params, &task);
    if !fixtures {
        let settled = async {
            while matches!(task.standing(), Standing::Working) && news.changed().await.is_ok() {}
        };
        tokio::select! {
            _ = tokio::time::timeout(SHORT, settled) => {}
            () = gone.cancelled() => {
                task.cancel();
            }
        }
        if let Standing::Ended(outcome) = task.standing() {
            connection.state.tasks.forget(&task);
            return match outcome {
                Outcome::Done(result) => Ok((*result).into()),
                Outcome::Error(error) => Err(error),
                Outcome::Cancelled => Err(failure::not_now("the call was cancelled")),
            };
        }
    }
    Ok(CreateTaskResult::new(extension::brief(&task)).into())
}

/// Starts a call as a task.
pub(crate) fn spawn(
    connection: &Arc<Connection>,
    mut client: Client,
    params: CallToolRequestParams,
    task: &Arc<Task>,
) {
    // The request ends before the task does.
    client.stop = task.stop();
    let (job, task) = (job(connection, params), Arc::clone(task));
    let voice = Voice::of_task(client, Arc::clone(&task));
    tokio::spawn(async move {
        let outcome = match run(&job, &voice).await {
            Ok(Ran::Done(result)) => Outcome::Done(result),
            Ok(Ran::Asks) => Outcome::Error(ErrorData::internal_error("an input request was lost", None)),
            Err(error) => Outcome::Error(error),
        };
        task.end(outcome);
    });
}

fn job(connection: &Arc<Connection>, params: CallToolRequestParams) -> Job {
    Job {
        connection: Arc::clone(connection),
        tool: params.name.into_owned(),
        arguments: params.arguments.unwrap_or_default(),
    }
}

async fn run(job: &Job, voice: &Voice) -> Result<Ran, ErrorData> {
    let begun = Instant::now();
    let ran = run_in_turn(job, voice).await;
    job.connection.state.meter.ended(&job.tool, &ran, begun.elapsed());
    ran
}

async fn run_in_turn(job: &Job, voice: &Voice) -> Result<Ran, ErrorData> {
    let Some(_place) = job.connection.queue(QUEUE) else {
        let mut error = failure::not_now("too many calls are pending; wait until some have ended");
        error.data = Some(serde_json::json!({ "retry_after_ms": 1000 }));
        return Err(error);
    };
    match &job.connection.state.fixtures {
        Some(fixtures) => conformance::call(fixtures, job, voice).await,
        None => {
            if job.connection.state.tools.get(&job.tool)?.bound == Bound::ToFolder {
                scope::known(&job.connection, &voice.client).await;
            }
            running::run(job, voice).await
        }
    }
}
