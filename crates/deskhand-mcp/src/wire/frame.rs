//! From bytes to messages that are JSON-RPC 2.0; everything else is refused with the right code.

use rmcp::model::{ClientJsonRpcMessage, ErrorData};
use serde_json::{Map, Value, json};

/// Why a batch is refused where there are none.
pub(crate) const NO_BATCHES: &str = "batches exist in protocol version 2025-03-26 alone";

/// Why an empty batch is refused.
pub(crate) const EMPTY: &str = "a batch has at least one message";

/// What one line or one body holds.
#[derive(Debug)]
pub(crate) enum Frame {
    /// One message that has the outer form of JSON-RPC.
    Message(Map<String, Value>),
    /// Several in an array; each still has to be looked at.
    Batch(Vec<Value>),
    /// Nothing that can be taken.
    Bad(Box<Refusal>),
}

/// An error answer written before the protocol's own machinery sees the message.
#[derive(Debug)]
pub(crate) struct Refusal {
    /// The id of the message, where it has one that can be answered to.
    pub(crate) id: Value,
    /// Why.
    pub(crate) error: ErrorData,
}

impl Refusal {
    /// A refusal of a message without a usable id.
    pub(crate) fn nameless(error: ErrorData) -> Box<Self> {
        Self::of(Value::Null, error)
    }

    /// A refusal of the message of an id.
    pub(crate) fn of(id: Value, error: ErrorData) -> Box<Self> {
        Box::new(Self { id, error })
    }

    /// The answer as it goes out.
    pub(crate) fn answer(&self) -> Value {
        let mut error = json!({ "code": self.error.code.0, "message": self.error.message });
        if let Some(data) = &self.error.data {
            error["data"] = data.clone();
        }
        json!({ "jsonrpc": "2.0", "id": self.id, "error": error })
    }
}

/// Reads one line or body.
pub(crate) fn read(bytes: &[u8]) -> Frame {
    let value = match serde_json::from_slice::<Value>(bytes) {
        Ok(value) => value,
        Err(error) => {
            let why = format!("this is no JSON: {error}");
            return Frame::Bad(Refusal::nameless(ErrorData::parse_error(why, None)));
        }
    };
    match value {
        Value::Array(messages) => Frame::Batch(messages),
        Value::Object(_) | Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            match message(value) {
                Ok(message) => Frame::Message(message),
                Err(refusal) => Frame::Bad(refusal),
            }
        }
    }
}

/// Checks the outer form of one message.
pub(crate) fn message(value: Value) -> Result<Map<String, Value>, Box<Refusal>> {
    let Value::Object(message) = value else {
        return Err(Refusal::nameless(invalid("a message is an object")));
    };
    let id = match message.get("id") {
        None => Value::Null,
        Some(id) if is_id(id) => id.clone(),
        Some(_) => {
            return Err(Refusal::nameless(invalid("id: expected a string or an integer")));
        }
    };
    let refuse = |error| Refusal::of(id.clone(), error);
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
                Err(refuse(invalid("id: a response has the id of its request")))
            };
        }
        None => return Err(refuse(invalid("method: missing"))),
    }
    match message.get("params") {
        None | Some(Value::Object(_)) => Ok(message),
        Some(Value::Array(_)) => Err(refuse(ErrorData::invalid_params(
            "params: expected an object; parameters go by name",
            None,
        ))),
        Some(Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_)) => {
            Err(refuse(invalid("params: expected an object")))
        }
    }
}

/// Turns a checked message into a typed one; nothing for a response nobody could use.
pub(crate) fn typed(
    message: Map<String, Value>,
) -> Result<Option<ClientJsonRpcMessage>, Box<Refusal>> {
    let id = message.get("id").cloned().unwrap_or_default();
    let is_request = message.contains_key("method") && message.contains_key("id");
    match serde_json::from_value(Value::Object(message)) {
        Ok(message) => Ok(Some(message)),
        Err(error) if is_request => Err(Refusal::of(id, invalid(&error.to_string()))),
        // Nobody waits for an answer to a notification or a response.
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
        match read(text.as_bytes()) {
            Frame::Bad(refusal) => (refusal.error.code.0, refusal.id),
            Frame::Message(message) => panic!("{message:?}"),
            Frame::Batch(messages) => panic!("{messages:?}"),
        }
    }

    #[test]
    fn what_is_no_json_is_a_parse_error() {
        for text in ["{bad", "", "\u{0}", "{\"a\":1}}", "nul"] {
            assert_eq!(refused(text), (-32700, Value::Null), "{text:?}");
        }
        let deep = "[".repeat(100_000);
        assert_eq!(refused(&deep), (-32700, Value::Null));
    }

    #[test]
    fn what_is_no_message_is_an_invalid_request() {
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
    fn parameters_by_position_are_told_as_such() {
        let text = r#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#;
        assert_eq!(refused(text), (-32602, json!(1)));
    }

    #[test]
    fn an_answer_without_an_id_says_null() {
        let refusal = Refusal::nameless(ErrorData::parse_error("x", None));
        assert_eq!(
            refusal.answer(),
            json!({ "jsonrpc": "2.0", "id": null, "error": { "code": -32700, "message": "x" } })
        );
    }

    #[test]
    fn a_malformed_response_is_nobodys_business() {
        let message = message(json!({ "jsonrpc": "2.0", "id": 9, "result": 7 })).unwrap();
        assert!(matches!(typed(message), Ok(None | Some(_))));
    }
}
