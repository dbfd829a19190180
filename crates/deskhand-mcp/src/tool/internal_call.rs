//! Read-only calls made by the server itself, for resources, prompts and completions. They ask no
//! questions and send no notifications.

use std::sync::Arc;

use deskhand_engine::{Answer, Call, Door, Failure, Form, Reply, Stopped, Surroundings};
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
    tool: &str,
    arguments: Value,
) -> Result<Answer, Failure> {
    let call = Call {
        tool: tool.to_owned(),
        arguments,
        form: Form::Data,
        door: Door::Mcp,
        session: connection.session(client),
        principal: client.principal.audit_name(),
        ceiling: client.principal.ceiling,
    };
    let engine = Arc::clone(&connection.state.engine);
    let permit = connection.state.call_permits.acquire().await?;
    let reply = tokio::task::spawn_blocking(move || -> Reply {
        let _permit = permit;
        engine.call(call, &Surroundings::alone(&|_| true))
    });
    let internal_error = |why: String| Failure {
        code: "internal".to_owned(),
        message: why,
        hint: None,
        delivery: None,
        retry_after_ms: None,
    };
    match reply.await {
        Ok(Ok(answer)) => Ok(answer),
        Ok(Err(Stopped::Failure(failure))) => Err(failure),
        Ok(Err(Stopped::Pause(_))) => {
            Err(internal_error("a read-only call requested input".to_owned()))
        }
        Err(error) => Err(internal_error(error.to_string())),
    }
}
