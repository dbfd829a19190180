//! Parsing of JSON-RPC 2.0 messages. Invalid input yields an error response with the right code.

use rmcp::model::{ClientJsonRpcMessage, ErrorData};
use serde_json::{Map, Value, json};

/// Error message for a batch in a version without batches.
pub(crate) const NO_BATCHES: &str = "batches exist only in protocol version 2025-03-26";

/// Error message for an empty batch.
pub(crate) const EMPTY_BATCH: &str = "a batch needs at least one message";

/// The content of one line or one HTTP body.
#[derive(Debug)]
pub(crate) enum Frame {
    /// One message with a valid JSON-RPC envelope.
    Message(Map<String, Value>),
    /// An array of messages that are not checked yet.
    Batch(Vec<Value>),
    /// Invalid input.
    Invalid(Box<ErrorResponse>),
}

/// An error response created before the SDK sees the message.
#[derive(Debug)]
pub(crate) struct ErrorResponse {
    /// The id of the request, or null if it has no usable one.
    pub(crate) id: Value,
    /// The error.
    pub(crate) error: ErrorData,
}

impl ErrorResponse {
    /// Creates an error response without a request id.
    pub(crate) fn without_id(error: ErrorData) -> Box<Self> {
        Self::new(Value::Null, error)
    }

    /// Creates an error response to the request with this id.
    pub(crate) fn new(id: Value, error: ErrorData) -> Box<Self> {
        Box::new(Self { id, error })
    }

    /// Converts the response to JSON.
    pub(crate) fn to_json(&self) -> Value {
        let mut error = json!({ "code": self.error.code.0, "message": self.error.message });
        if let Some(data) = &self.error.data {
            error["data"] = data.clone();
        }
        json!({ "jsonrpc": "2.0", "id": self.id, "error": error })
    }
}

/// Parses one line or body.
pub(crate) fn parse(bytes: &[u8]) -> Frame {
    let value = match serde_json::from_slice::<Value>(bytes) {
        Ok(value) => value,
        Err(error) => {
            let why = format!("invalid JSON: {error}");
            return Frame::Invalid(ErrorResponse::without_id(ErrorData::parse_error(why, None)));
        }
    };
    match value {
        Value::Array(messages) => Frame::Batch(messages),
        Value::Object(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            match check_message(value) {
                Ok(message) => Frame::Message(message),
                Err(response) => Frame::Invalid(response),
            }
        }
    }
}

/// Checks the JSON-RPC envelope of one message.
pub(crate) fn check_message(value: Value) -> Result<Map<String, Value>, Box<ErrorResponse>> {
    let Value::Object(message) = value else {
        return Err(ErrorResponse::without_id(invalid("a message must be an object")));
    };
    let id = match message.get("id") {
        None => Value::Null,
        Some(id) if is_id(id) => id.clone(),
        Some(_) => {
            return Err(ErrorResponse::without_id(invalid("id: expected a string or an integer")));
        }
    };
    let refuse = |error| ErrorResponse::new(id.clone(), error);
    if message.get("jsonrpc").and_then(Value::as_str) != Some("2.0") {
        return Err(refuse(invalid("jsonrpc: expected \"2.0\"")));
    }
    match message.get("method") {
        Some(Value::String(_)) => {}
        Some(_) => return Err(refuse(invalid("method: expected a string"))),
        None if message.contains_key("result") != message.contains_key("error") => {
            return if message.contains_key("id") || message.contains_key("error") {
                Ok(message)
            } else {
                Err(refuse(invalid("id: a response needs the id of its request")))
            };
        }
        None => return Err(refuse(invalid("method: missing"))),
    }
    match message.get("params") {
        None | Some(Value::Object(_)) => Ok(message),
        Some(Value::Array(_)) => Err(refuse(ErrorData::invalid_params(
            "params: expected an object; positional parameters are not supported",
            None,
        ))),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
            Err(refuse(invalid("params: expected an object")))
        }
    }
}

/// Converts a checked message into a typed one. Returns `None` for an invalid response or
/// notification.
pub(crate) fn to_typed(
    message: Map<String, Value>,
) -> Result<Option<ClientJsonRpcMessage>, Box<ErrorResponse>> {
    let id = message.get("id").cloned().unwrap_or_default();
    let is_request = message.contains_key("method") && message.contains_key("id");
    match serde_json::from_value(Value::Object(message)) {
        Ok(message) => Ok(Some(message)),
        Err(error) if is_request => Err(ErrorResponse::new(id, invalid(&error.to_string()))),
        // Notifications and responses are never answered.
        Err(_) => Ok(None),
    }
}

fn is_id(id: &Value) -> bool {
    id.is_string() || id.as_i64().is_some()
}

fn invalid(why: &str) -> ErrorData {
    ErrorData::invalid_request(why.to_owned(), None)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn refused(text: &str) -> (i32, Value) {
        match parse(text.as_bytes()) {
            Frame::Invalid(response) => (response.error.code.0, response.id),
            Frame::Message(message) => panic!("{message:?}"),
            Frame::Batch(messages) => panic!("{messages:?}"),
        }
    }

    #[test]
    fn invalid_json_is_a_parse_error() {
        for text in ["{bad", "", "\u{0}", "{\"a\":1}}", "nul"] {
            assert_eq!(refused(text), (-32700, Value::Null), "{text:?}");
        }
        let deep = "[".repeat(100_000);
        assert_eq!(refused(&deep), (-32700, Value::Null));
    }

    #[test]
    fn invalid_messages_are_invalid_requests() {
        for (text, id) in [
            ("7", Value::Null),
            ("\"ping\"", Value::Null),
            ("null", Value::Null),
            ("{}", Value::Null),
            (r#"{"jsonrpc":"1.0","id":4,"method":"ping"}"#, json!(4)),
            (r#"{"id":4,"method":"ping"}"#, json!(4)),
            (r#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, Value::Null),
            (r#"{"jsonrpc":"2.0","id":1.5,"method":"ping"}"#, Value::Null),
            (r#"{"jsonrpc":"2.0","id":true,"method":"ping"}"#, Value::Null),
            (r#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, Value::Null),
            (r#"{"jsonrpc":"2.0","id":"a","method":7}"#, json!("a")),
            (r#"{"jsonrpc":"2.0","id":"a"}"#, json!("a")),
            (r#"{"jsonrpc":"2.0","id":1,"result":{},"error":{}}"#, json!(1)),
            (r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":"x"}"#, json!(1)),
        ] {
            assert_eq!(refused(text), (-32600, id), "{text}");
        }
    }

    #[test]
    fn positional_parameters_are_refused() {
        let text = r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#;
        assert_eq!(refused(text), (-32602, json!(1)));
    }

    #[test]
    fn an_error_without_an_id_has_a_null_id() {
        let response = ErrorResponse::without_id(ErrorData::parse_error("x", None));
        assert_eq!(
            response.to_json(),
            json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32700, "message": "x" } })
        );
    }

    #[test]
    fn a_malformed_response_is_ignored() {
        let message = check_message(json!({ "jsonrpc": "2.0", "id": 9, "result": 7 })).unwrap();
        assert!(matches!(to_typed(message), Ok(None | Some(_))));
    }
}
