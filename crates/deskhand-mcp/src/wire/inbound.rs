//! What is rewritten on the way in: the tasks of 2025-11-25, which the SDK does not know, become
//! methods of our own, so that they reach the handler whole.

use rmcp::model::{ErrorCode, ErrorData};
use serde_json::{Map, Value};

/// A method of tasks, which has another name between the wire and the handler.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum TaskMethod {
    /// `tools/call` that asks for a task.
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

const PREFIX: &str = "deskhand/";

impl TaskMethod {
    /// All of them.
    const ALL: [Self; 5] = [Self::Call, Self::Get, Self::List, Self::Result, Self::Cancel];

    /// Its name between wire and handler.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Call => "deskhand/task/call",
            Self::Get => "deskhand/task/get",
            Self::List => "deskhand/task/list",
            Self::Result => "deskhand/task/result",
            Self::Cancel => "deskhand/task/cancel",
        }
    }

    /// Its name on the wire.
    pub(crate) fn outer(self) -> &'static str {
        match self {
            Self::Call => "tools/call",
            Self::Get => "tasks/get",
            Self::List => "tasks/list",
            Self::Result => "tasks/result",
            Self::Cancel => "tasks/cancel",
        }
    }

    /// The one of an inner name.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|inner| inner.name() == name)
    }
}

/// Rewrites a message of a client that came by the handshake; `handshake` is false for others.
pub(crate) fn rewrite(
    message: &mut Map<String, Value>,
    handshake: Handshake,
) -> Result<(), ErrorData> {
    let Some(method) = message.get("method").and_then(Value::as_str) else { return Ok(()) };
    if method.starts_with(PREFIX) {
        return Err(unknown_method(method));
    }
    if handshake == Handshake::No {
        return Ok(());
    }
    let inner = match method {
        "tools/call" => {
            let asks_for_task =
                message.get("params").is_some_and(|params| params.get("task").is_some());
            asks_for_task.then_some(TaskMethod::Call)
        }
        "tasks/get" => Some(TaskMethod::Get),
        "tasks/list" => Some(TaskMethod::List),
        "tasks/result" => Some(TaskMethod::Result),
        "tasks/cancel" => Some(TaskMethod::Cancel),
        _ => None,
    };
    if let Some(inner) = inner {
        message.insert("method".to_owned(), Value::from(inner.name()));
    }
    Ok(())
}

/// Whether a client came by `initialize`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Handshake {
    /// It did.
    Yes,
    /// It did not, or not yet.
    No,
}

/// The error of a method that does not exist.
pub(crate) fn unknown_method(method: &str) -> ErrorData {
    let words = format!("there is no method `{method}`");
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
    fn a_call_that_asks_for_a_task_is_another_method() {
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
    fn every_inner_method_is_reached_by_its_outer_name_alone() {
        for inner in TaskMethod::ALL {
            let params = json!({ "task": {}, "taskId": "t" });
            assert_eq!(
                rewritten(inner.outer(), params.clone(), Handshake::Yes).unwrap(),
                inner.name()
            );
            assert_eq!(TaskMethod::named(inner.name()), Some(inner));
            for handshake in [Handshake::Yes, Handshake::No] {
                assert_eq!(rewritten(inner.name(), params.clone(), handshake), Err(-32601));
            }
        }
    }
}
