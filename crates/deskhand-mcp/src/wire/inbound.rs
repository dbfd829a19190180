//! Rewriting of incoming messages: the tasks of 2025-11-25, which the SDK does not know, become
//! internal methods, so that they reach the handler unchanged.

use rmcp::model::{ErrorCode, ErrorData};
use serde_json::{Map, Value};

/// A task method. It has an internal name between the wire and the handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskMethod {
    /// `tools/call` that requests a task.
    Call,
    /// `tasks/get`
    Get,
    /// `tasks/list`
    List,
    /// `tasks/result`
    Result,
    /// `tasks/cancel`
    Cancel,
}

const INTERNAL_PREFIX: &str = "deskhand/";

impl TaskMethod {
    /// All task methods.
    const ALL: [Self; 5] = [Self::Call, Self::Get, Self::List, Self::Result, Self::Cancel];

    /// Returns the internal name.
    pub(crate) fn internal_name(self) -> &'static str {
        match self {
            Self::Call => "deskhand/task/call",
            Self::Get => "deskhand/task/get",
            Self::List => "deskhand/task/list",
            Self::Result => "deskhand/task/result",
            Self::Cancel => "deskhand/task/cancel",
        }
    }

    /// Returns the name on the wire.
    pub(crate) fn wire_name(self) -> &'static str {
        match self {
            Self::Call => "tools/call",
            Self::Get => "tasks/get",
            Self::List => "tasks/list",
            Self::Result => "tasks/result",
            Self::Cancel => "tasks/cancel",
        }
    }

    /// Returns the method with this internal name.
    pub(crate) fn from_internal_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|inner| inner.internal_name() == name)
    }
}

/// Rewrites a message. Task methods are rewritten only after `initialize`.
pub(crate) fn rewrite(
    message: &mut Map<String, Value>,
    handshake: Handshake,
) -> Result<(), ErrorData> {
    let Some(method) = message.get("method").and_then(Value::as_str) else { return Ok(()) };
    if method.starts_with(INTERNAL_PREFIX) {
        return Err(unknown_method(method));
    }
    if handshake == Handshake::No {
        return Ok(());
    }
    let inner = match method {
        "tools/call" => {
            let requests_task =
                message.get("params").is_some_and(|params| params.get("task").is_some());
            requests_task.then_some(TaskMethod::Call)
        }
        "tasks/get" => Some(TaskMethod::Get),
        "tasks/list" => Some(TaskMethod::List),
        "tasks/result" => Some(TaskMethod::Result),
        "tasks/cancel" => Some(TaskMethod::Cancel),
        _ => None,
    };
    if let Some(inner) = inner {
        message.insert("method".to_owned(), Value::from(inner.internal_name()));
    }
    Ok(())
}

/// The state of the `initialize` handshake.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Handshake {
    /// The client has sent `initialize`.
    Yes,
    /// The client has not sent `initialize`.
    No,
}

/// Creates the error of an unknown method.
pub(crate) fn unknown_method(method: &str) -> ErrorData {
    let words = format!("unknown method `{method}`");
    ErrorData::new(ErrorCode::METHOD_NOT_FOUND, words, None)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn rewritten(method: &str, params: Value, handshake: Handshake) -> Result<String, i32> {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": method, "params": params });
        let Value::Object(mut message) = message else { panic!() };
        rewrite(&mut message, handshake).map_err(|error| error.code.0)?;
        assert_eq!(message["params"], params);
        Ok(message["method"].as_str().unwrap().to_owned())
    }

    #[test]
    fn a_call_that_requests_a_task_is_rewritten() {
        let asks = json!({ "name": "x", "task": {} });
        assert_eq!(
            rewritten("tools/call", asks.clone(), Handshake::Yes).unwrap(),
            "deskhand/task/call"
        );
        assert_eq!(rewritten("tools/call", asks, Handshake::No).unwrap(), "tools/call");
        assert_eq!(
            rewritten("tools/call", json!({ "name": "x" }), Handshake::Yes).unwrap(),
            "tools/call"
        );
    }

    #[test]
    fn internal_methods_cannot_be_called_from_outside() {
        for inner in TaskMethod::ALL {
            let params = json!({ "task": {}, "taskId": "t" });
            assert_eq!(
                rewritten(inner.wire_name(), params.clone(), Handshake::Yes).unwrap(),
                inner.internal_name()
            );
            assert_eq!(TaskMethod::from_internal_name(inner.internal_name()), Some(inner));
            for handshake in [Handshake::Yes, Handshake::No] {
                assert_eq!(
                    rewritten(inner.internal_name(), params.clone(), handshake),
                    Err(-32601)
                );
            }
        }
    }
}
