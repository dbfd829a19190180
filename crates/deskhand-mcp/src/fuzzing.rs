//! Entry points for fuzzing, one function per parser. Each takes any bytes and panics if the parser
//! breaks an invariant.

use rmcp::model::{
    InitializeResult, JsonRpcMessage, ProtocolVersion, RequestId, ServerCapabilities, ServerResult,
};
use serde_json::Value;

pub use crate::{
    install::fuzzing::client_settings, transport::auth::fuzzing::token,
    wire::json_lines::fuzzing::lines,
};
use crate::{
    resource::uri::Uri,
    session::event_store::EventId,
    wire::{connection_state::ConnectionState, frame},
};

/// Reads JSON-RPC lines, on a new connection and on one that accepts batches.
///
/// # Panics
///
/// Panics if an error response is malformed, if a message changes when it is serialized, or if a
/// request stays unanswered.
pub fn json_rpc(data: &[u8]) {
    for mut connection in [ConnectionState::default(), initialized()] {
        for line in data.split(|byte| *byte == b'\n') {
            let accepted = connection.accept(frame::parse(line));
            if let Some(answer) = &accepted.reply {
                refusal(answer);
            }
            for message in accepted.forward {
                let printed = json(&message);
                let Value::Object(outer) = printed.clone() else { panic!("{printed}") };
                if let Ok(Some(again)) = frame::to_typed(outer) {
                    assert_eq!(json(&again), printed, "a message survives serialization");
                } else {
                    panic!("a serialized message cannot be read again: {printed}");
                }
            }
        }
        connection.close();
        for answer in connection.fail_pending() {
            refusal(&answer);
        }
        assert!(connection.is_idle(), "every request is answered");
    }
}

/// Parses the URI of a resource.
///
/// # Panics
///
/// Panics if a parsed URI changes when it is printed and parsed again.
pub fn uri(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Some(uri) = Uri::parse(&text) {
        let printed = uri.to_string();
        assert_eq!(Uri::parse(&printed).as_ref(), Some(&uri), "{text:?} is printed as {printed:?}");
    }
}

/// Parses a `Last-Event-ID` header.
///
/// # Panics
///
/// Panics if a parsed id changes when it is printed and parsed again.
pub fn event_id(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    if let Ok(id) = text.parse::<EventId>() {
        assert_eq!(id.to_string().parse(), Ok(id), "{text:?}");
    }
}

/// Returns a connection initialized with a protocol version that has batches.
fn initialized() -> ConnectionState {
    let mut connection = ConnectionState::default();
    let first = br#"{"jsonrpc":"2.0","id":"hello","method":"initialize","params":{"protocolVersion":"2025-03-26","capabilities":{},"clientInfo":{"name":"f","version":"0"}}}"#;
    assert_eq!(connection.accept(frame::parse(first)).forward.len(), 1);
    let result = InitializeResult::new(ServerCapabilities::default())
        .with_protocol_version(ProtocolVersion::V_2025_03_26);
    let result = ServerResult::InitializeResult(result);
    let answer = JsonRpcMessage::response(result, RequestId::String("hello".into()));
    assert!(connection.outgoing(answer).is_some());
    connection
}

/// Checks one error response, or those of a batch.
fn refusal(answer: &Value) {
    match answer {
        Value::Array(all) => all.iter().for_each(refusal),
        Value::Object(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            assert_eq!(answer["jsonrpc"], "2.0", "{answer}");
            assert!(answer["error"]["code"].is_i64(), "{answer}");
            let id = &answer["id"];
            assert!(id.is_null() || id.is_string() || id.is_i64(), "{answer}");
        }
    }
}

fn json(message: &impl serde::Serialize) -> Value {
    match serde_json::to_value(message) {
        Ok(value) => value,
        Err(error) => panic!("a message cannot be serialized: {error}"),
    }
}
