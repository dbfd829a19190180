//! Read-only calls made by the server itself, for resources, prompts and completions. They ask no
//! questions and send no notifications.

use std::sync::Arc;

use deskhand_engine::{CallError, CallFailure, CallOptions, CallResult, ToolKey, ToolOutput};
use serde_json::Value;

use crate::server::{client::Client, state::Connection};

/// Calls a read-only tool in the session of a client.
///
/// # Errors
///
/// Returns an error if the call fails.
pub(crate) async fn call_read_tool(
    connection: &Arc<Connection>,
    client: &Client,
    tool: ToolKey,
    arguments: Value,
) -> Result<ToolOutput, CallFailure> {
    let call = connection.engine_call(client, tool, arguments);
    let engine = Arc::clone(&connection.state.engine);
    let permit = connection.state.call_permits.acquire().await?;
    let reply = tokio::task::spawn_blocking(move || -> CallResult {
        let _permit = permit;
        engine.call(call, &CallOptions::non_interactive(&|_| true))
    });
    let internal_error = |why: String| CallFailure {
        code: "internal".to_owned(),
        message: why,
        hint: None,
        delivery: None,
        retry_after_ms: None,
    };
    match reply.await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(CallError::Failure(failure))) => Err(failure),
        Ok(Err(CallError::Pause(_))) => {
            Err(internal_error("a read-only call requested input".to_owned()))
        }
        Err(error) => Err(internal_error(error.to_string())),
    }
}
