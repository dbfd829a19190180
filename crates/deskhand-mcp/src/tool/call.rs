//! `tools/call`: answered with a result, with input requests, or with a task.

use std::{sync::Arc, time::Instant};

use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, CreateTaskResult, ErrorCode,
    ErrorData, JsonObject,
};

use super::{
    list::{Confinement, TaskMode},
    run,
};
use crate::{
    input::ClientPrompt,
    server::{
        client::{Client, Era},
        failure, scope,
        state::Connection,
    },
    task::{
        extension,
        store::{Task, TaskOutcome, TaskState},
    },
    timing,
};

/// Maximum number of running and waiting calls per connection.
const MAX_CALLS_PER_CONNECTION: usize = 64;

/// A call of a tool.
#[derive(Debug)]
pub(crate) struct ToolCall {
    /// The connection.
    pub(crate) connection: Arc<Connection>,
    /// The tool.
    pub(crate) tool: String,
    /// Its arguments.
    pub(crate) arguments: JsonObject,
}

/// The outcome of a call.
#[derive(Debug)]
pub(crate) enum CallOutcome {
    /// A result.
    Done(Box<CallToolResult>),
    /// Input requests, which are stored in the prompt.
    InputRequired,
}

impl From<CallToolResult> for CallOutcome {
    fn from(result: CallToolResult) -> Self {
        Self::Done(Box::new(result))
    }
}

/// Serves `tools/call`.
///
/// # Errors
///
/// Returns an error if the tool does not exist, or if the client does not support tasks and the
/// tool requires them.
pub(crate) async fn call_tool(
    connection: &Arc<Connection>,
    client: Client,
    params: CallToolRequestParams,
) -> Result<CallToolResponse, ErrorData> {
    let task_mode = connection.state.tools.get(&params.name)?.task_mode;
    let supports_tasks = client.era == Era::Stateless && client.capabilities.supports_tasks();
    match task_mode {
        TaskMode::Optional | TaskMode::Required if supports_tasks => {
            call_as_task(connection, client, params).await
        }
        TaskMode::Required => Err(match client.era {
            Era::Stateless => extension::tasks_required(),
            Era::Handshake(_) => {
                let why = format!("`{}` runs only as a task", params.name);
                ErrorData::new(ErrorCode::METHOD_NOT_FOUND, why, None)
            }
        }),
        TaskMode::Never | TaskMode::Optional => call_directly(connection, client, params).await,
    }
}

async fn call_directly(
    connection: &Arc<Connection>,
    client: Client,
    params: CallToolRequestParams,
) -> Result<CallToolResponse, ErrorData> {
    let signer = &connection.state.state_signer;
    let prompt = ClientPrompt::for_call(client, &params, signer)?;
    match run_call(&new_call(connection, params), &prompt).await? {
        CallOutcome::Done(result) => Ok((*result).into()),
        CallOutcome::InputRequired => match prompt.required_input(signer)? {
            Some(required) => Ok(required.into()),
            None => Err(ErrorData::internal_error("an input request was lost", None)),
        },
    }
}

/// Runs the call as a task, and answers with its result if it ends soon.
async fn call_as_task(
    connection: &Arc<Connection>,
    client: Client,
    params: CallToolRequestParams,
) -> Result<CallToolResponse, ErrorData> {
    let fixtures = connection.state.fixtures.as_ref();
    let mut answers = None;
    if let Some(fixtures) = fixtures.filter(|it| it.requests_input_first(&params.name)) {
        let signer = &connection.state.state_signer;
        let prompt = ClientPrompt::for_call(client.clone(), &params, signer)?;
        answers = Some(fixtures.request_first_input(&prompt).await?);
        if let Some(required) = prompt.required_input(signer)? {
            return Ok(required.into());
        }
    }
    let task = connection.state.tasks.create(connection.task_owner(&client), timing::TASK_TTL)?;
    task.set_status_message(format!("`{}` started", params.name));
    let mut changes = task.subscribe();
    let cancelled = client.cancel.clone();
    let mut params = params;
    if let Some(answers) = answers {
        params.arguments.get_or_insert_default().extend(answers);
    }
    spawn(connection, client, params, &task);
    if fixtures.is_none() {
        let settled = async {
            while matches!(task.state(), TaskState::Working) && changes.changed().await.is_ok() {}
        };
        tokio::select! {
            _ = tokio::time::timeout(timing::TASK_AFTER, settled) => {}
            () = cancelled.cancelled() => {
                task.cancel();
            }
        }
        if let TaskState::Ended(outcome) = task.state() {
            connection.state.tasks.remove(&task);
            return match outcome {
                TaskOutcome::Done(result) => Ok((*result).into()),
                TaskOutcome::Error(error) => Err(error),
                TaskOutcome::Cancelled => Err(failure::unavailable("the call was cancelled")),
            };
        }
    }
    Ok(CreateTaskResult::new(extension::summary(&task)).into())
}

/// Starts a call as a task.
pub(crate) fn spawn(
    connection: &Arc<Connection>,
    mut client: Client,
    params: CallToolRequestParams,
    task: &Arc<Task>,
) {
    // The request ends before the task does.
    client.cancel = task.cancel_token();
    let (call, task) = (new_call(connection, params), Arc::clone(task));
    let prompt = ClientPrompt::for_task(client, Arc::clone(&task));
    tokio::spawn(async move {
        let outcome = match run_call(&call, &prompt).await {
            Ok(CallOutcome::Done(result)) => TaskOutcome::Done(result),
            Ok(CallOutcome::InputRequired) => {
                TaskOutcome::Error(ErrorData::internal_error("an input request was lost", None))
            }
            Err(error) => TaskOutcome::Error(error),
        };
        task.end(outcome);
    });
}

fn new_call(connection: &Arc<Connection>, params: CallToolRequestParams) -> ToolCall {
    ToolCall {
        connection: Arc::clone(connection),
        tool: params.name.into_owned(),
        arguments: params.arguments.unwrap_or_default(),
    }
}

async fn run_call(call: &ToolCall, prompt: &ClientPrompt) -> Result<CallOutcome, ErrorData> {
    let started = Instant::now();
    let outcome = run_admitted(call, prompt).await;
    call.connection.state.metrics.record_call(&call.tool, &outcome, started.elapsed());
    outcome
}

async fn run_admitted(call: &ToolCall, prompt: &ClientPrompt) -> Result<CallOutcome, ErrorData> {
    let Some(_slot) = call.connection.reserve_call_slot(MAX_CALLS_PER_CONNECTION) else {
        let mut error =
            failure::unavailable("too many calls are pending; wait until some have ended");
        error.data = Some(serde_json::json!({ "retry_after_ms": 1000 }));
        return Err(error);
    };
    match &call.connection.state.fixtures {
        Some(fixtures) => fixtures.call(call, prompt).await,
        None => {
            if call.connection.state.tools.get(&call.tool)?.confinement
                == Confinement::SessionFolder
            {
                scope::wait_for_roots(&call.connection, &prompt.client).await;
            }
            run::run(call, prompt).await
        }
    }
}
