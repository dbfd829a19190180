//! The stored form of a message. A delivered message is kept as text only: the parsed form takes
//! several times as much memory and is not needed unless a client resumes.

use std::{collections::HashSet, sync::Arc};

use rmcp::model::{
    CustomNotification, CustomRequest, CustomResult, ErrorData, JsonRpcMessage, RequestId,
    ServerJsonRpcMessage, ServerNotification, ServerRequest, ServerResult,
};
use serde::Serialize;
use serde_json::{Map, Value};

/// Number of bytes that count for every event besides its text.
pub(super) const EVENT_OVERHEAD: usize = 64;

/// Results of list requests. Clients repeat these requests, and the results are long and rarely
/// change, so equal ones are stored once.
#[derive(Debug, Default)]
pub(super) struct SharedResults {
    results: HashSet<Arc<str>>,
    bytes: usize,
}

impl SharedResults {
    /// Returns the stored copy of a result.
    fn insert(&mut self, result: &str) -> Arc<str> {
        if let Some(stored) = self.results.get(result) {
            return Arc::clone(stored);
        }
        let stored: Arc<str> = result.into();
        self.bytes += stored.len();
        self.results.insert(Arc::clone(&stored));
        stored
    }

    /// Drops one use of a result.
    fn remove(&mut self, result: Arc<str>) {
        // One use is `result`, the other one is the copy in this set.
        if Arc::strong_count(&result) <= 2 && self.results.remove(&*result) {
            self.bytes -= result.len();
        }
    }

    /// Returns the number of stored bytes.
    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }
}

#[derive(Debug)]
enum Text {
    Message(Box<str>),
    Response { id: RequestId, result: Arc<str> },
}

/// A stored message.
#[derive(Debug)]
pub(super) struct StoredMessage {
    /// Absent once the message is delivered.
    parsed: Option<Arc<ServerJsonRpcMessage>>,
    text: Text,
}

impl StoredMessage {
    /// Stores a message.
    pub(super) fn new(message: ServerJsonRpcMessage, shared: &mut SharedResults) -> Self {
        let text = match &message {
            JsonRpcMessage::Response(response) if is_list(&response.result) => {
                let result = shared.insert(&json_text(&response.result));
                Text::Response { id: response.id.clone(), result }
            }
            JsonRpcMessage::Response(_)
            | JsonRpcMessage::Request(_)
            | JsonRpcMessage::Notification(_)
            | JsonRpcMessage::Error(_) => Text::Message(json_text(&message).into()),
        };
        Self { parsed: Some(Arc::new(message)), text }
    }

    /// Returns the number of bytes that only this message takes.
    pub(super) fn own_bytes(&self) -> usize {
        match &self.text {
            Text::Message(text) => EVENT_OVERHEAD + text.len(),
            Text::Response { .. } => EVENT_OVERHEAD,
        }
    }

    /// Drops the message.
    pub(super) fn remove(self, shared: &mut SharedResults) {
        if let Text::Response { result, .. } = self.text {
            shared.remove(result);
        }
    }

    /// Drops the parsed form, which only the first reader needs.
    pub(super) fn compact(&mut self) {
        self.parsed = None;
    }

    /// Returns `true` if the client or the server waits for the message: it is a response or a
    /// request.
    pub(super) fn is_request_or_response(&self) -> bool {
        self.parsed
            .as_ref()
            .is_none_or(|message| !matches!(**message, JsonRpcMessage::Notification(_)))
    }

    /// Returns the message.
    pub(super) fn message(&self) -> Arc<ServerJsonRpcMessage> {
        match (&self.parsed, &self.text) {
            (Some(message), _) => Arc::clone(message),
            (None, Text::Message(text)) => Arc::new(restore(json_value(text))),
            (None, Text::Response { id, result }) => {
                Arc::new(response(json_value(result), id.clone()))
            }
        }
    }
}

/// Returns `true` for the result of a list request.
fn is_list(result: &ServerResult) -> bool {
    // `outbound::rewrite` makes a custom result of a list of tools.
    if let ServerResult::CustomResult(result) = result {
        return result.0["tools"].is_array();
    }
    matches!(
        result,
        ServerResult::ListToolsResult(_)
            | ServerResult::ListPromptsResult(_)
            | ServerResult::ListResourcesResult(_)
            | ServerResult::ListResourceTemplatesResult(_)
    )
}

/// Serializes a part of a message. Messages of the SDK can always be serialized.
fn json_text<T: Serialize>(part: &T) -> String {
    serde_json::to_string(part).unwrap_or_default()
}

/// Parses text that [`json_text`] has written.
fn json_value(text: &str) -> Value {
    serde_json::from_str(text).unwrap_or_default()
}

/// Creates a message with the content of the one the value was read from. The SDK's own
/// parser would guess the type of a result and drop fields that the type does not have.
fn restore(mut message: Value) -> ServerJsonRpcMessage {
    let id = serde_json::from_value(message["id"].take()).ok();
    // The SDK writes missing parameters of such a message as `null`, which is not valid.
    let params = message.get_mut("params").map_or_else(|| Value::Object(Map::new()), Value::take);
    if let Some(method) = message["method"].as_str() {
        return match id {
            Some(id) => {
                let request =
                    ServerRequest::CustomRequest(CustomRequest::new(method, Some(params)));
                JsonRpcMessage::request(request, id)
            }
            None => JsonRpcMessage::notification(ServerNotification::CustomNotification(
                CustomNotification::new(method, Some(params)),
            )),
        };
    }
    match (message.get_mut("result").map(Value::take), id) {
        (Some(result), Some(id)) => response(result, id),
        (_, id) => {
            let unreadable = || ErrorData::internal_error("the message cannot be restored", None);
            let error = serde_json::from_value(message["error"].take());
            JsonRpcMessage::error(error.unwrap_or_else(|_| unreadable()), id)
        }
    }
}

fn response(result: Value, id: RequestId) -> ServerJsonRpcMessage {
    JsonRpcMessage::response(ServerResult::CustomResult(CustomResult::new(result)), id)
}

#[cfg(test)]
mod tests {
    use rmcp::model::{ListToolsResult, Tool};
    use serde_json::json;

    use super::*;

    fn list(id: i64) -> ServerJsonRpcMessage {
        let tools = vec![Tool::new("a", "x".repeat(2000), serde_json::Map::new())];
        let list = ListToolsResult::with_all_items(tools);
        JsonRpcMessage::response(ServerResult::ListToolsResult(list), RequestId::Number(id))
    }

    #[test]
    fn a_compact_message_is_sent_as_it_was() {
        let notification = ServerNotification::CustomNotification(CustomNotification::new(
            "notifications/message",
            Some(json!({ "z": 1, "a": [null] })),
        ));
        let ping = ServerRequest::PingRequest(rmcp::model::PingRequest::default());
        for message in [
            list(1),
            JsonRpcMessage::response(ServerResult::empty(()), RequestId::String("one".into())),
            JsonRpcMessage::error(ErrorData::invalid_params("no", Some(json!({ "a": 1 }))), None),
            JsonRpcMessage::error(
                ErrorData::internal_error("no", None),
                Some(RequestId::Number(4)),
            ),
            JsonRpcMessage::notification(notification),
            JsonRpcMessage::request(ping, RequestId::Number(7)),
        ] {
            let mut sent = json_value(&json_text(&message));
            if sent.get("method").is_some() && sent.get("params").is_none() {
                sent["params"] = json!({});
            }
            let mut stored = StoredMessage::new(message, &mut SharedResults::default());
            stored.compact();
            assert_eq!(json_value(&json_text(&*stored.message())), sent);
        }
    }

    #[test]
    fn equal_lists_are_stored_once() {
        let mut shared = SharedResults::default();
        let first = StoredMessage::new(list(1), &mut shared);
        let bytes = shared.bytes();
        let second = StoredMessage::new(list(2), &mut shared);
        assert_eq!((shared.bytes(), second.own_bytes()), (bytes, EVENT_OVERHEAD));
        assert!(bytes > 2000, "{bytes}");
        assert_eq!(json_value(&json_text(&*second.message()))["id"], 2);
        first.remove(&mut shared);
        assert_eq!(shared.bytes(), bytes);
        second.remove(&mut shared);
        assert!(shared.bytes() == 0 && shared.results.is_empty());
    }
}
