//! The protocol state of one connection: pending requests, the negotiated version and open batches.
//! It does no I/O: messages go in, messages and replies come out.

use std::collections::{HashSet, VecDeque};

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorData, GetMeta, JsonRpcMessage,
    ProtocolVersion, RequestId, ServerJsonRpcMessage, ServerResult,
};
use serde_json::{Map, Value};

use super::{
    frame::{self, ErrorResponse, Frame},
    inbound::{self, Handshake},
    outbound,
    uncancellable::Uncancellable,
};
use crate::server::failure;

/// Number of cancelled request ids that are remembered: a late response must not be taken for the
/// response to a new request with the same id.
const MAX_CANCELLED: usize = 1024;

/// Error message for a request whose id is in use.
pub(crate) const ID_IN_USE: &str = "id: already used by a pending request";

/// Error message for a second `initialize`.
pub(crate) const ALREADY_INITIALIZED: &str = "this connection is already initialized";

/// The protocol state of one connection.
#[derive(Debug, Default)]
pub(crate) struct ConnectionState {
    version: Option<ProtocolVersion>,
    started: bool,
    pending: HashSet<RequestId>,
    subscriptions: HashSet<RequestId>,
    uncancellable: Uncancellable,
    uncancellable_requests: HashSet<RequestId>,
    cancelled: VecDeque<RequestId>,
    batches: Vec<Batch>,
    phase: Phase,
}

/// The lifecycle phase of a connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Phase {
    /// Requests are accepted.
    #[default]
    Open,
    /// No new requests are accepted.
    Closing,
    /// All requests are answered.
    Closed,
}

/// A batch of requests, which is answered with one array.
#[derive(Debug)]
struct Batch {
    pending: HashSet<RequestId>,
    replies: Vec<Value>,
}

/// The result of accepting a frame.
#[derive(Debug, Default)]
pub(crate) struct Accepted {
    /// Messages for the handler.
    pub(crate) forward: Vec<ClientJsonRpcMessage>,
    /// A reply to send immediately.
    pub(crate) reply: Option<Value>,
}

impl ConnectionState {
    /// Creates the state of a connection whose tools include uncancellable ones.
    pub(crate) fn with_uncancellable(uncancellable: Uncancellable) -> Self {
        Self { uncancellable, ..Self::default() }
    }

    /// Accepts an incoming frame.
    pub(crate) fn accept(&mut self, frame: Frame) -> Accepted {
        match frame {
            Frame::Message(message) => match self.accept_message(message) {
                Ok(forward) => Accepted { forward: forward.into_iter().collect(), reply: None },
                Err(error) => Accepted { forward: Vec::new(), reply: Some(error.to_json()) },
            },
            Frame::Batch(messages) => self.accept_batch(messages),
            Frame::Invalid(error) => Accepted { forward: Vec::new(), reply: Some(error.to_json()) },
        }
    }

    fn accept_batch(&mut self, messages: Vec<Value>) -> Accepted {
        let why = if self.version != Some(ProtocolVersion::V_2025_03_26) {
            Some(frame::NO_BATCHES)
        } else if messages.is_empty() {
            Some(frame::EMPTY_BATCH)
        } else {
            None
        };
        if let Some(why) = why {
            let error = ErrorResponse::without_id(ErrorData::invalid_request(why, None));
            return Accepted { forward: Vec::new(), reply: Some(error.to_json()) };
        }
        let mut forward = Vec::new();
        let mut batch = Batch { pending: HashSet::new(), replies: Vec::new() };
        for message in messages {
            match frame::check_message(message).and_then(|message| self.accept_message(message)) {
                Ok(Some(message)) => {
                    if let JsonRpcMessage::Request(request) = &message {
                        batch.pending.insert(request.id.clone());
                    }
                    forward.push(message);
                }
                Ok(None) => {}
                Err(error) => batch.replies.push(error.to_json()),
            }
        }
        let answer = if batch.pending.is_empty() {
            (!batch.replies.is_empty()).then(|| Value::Array(batch.replies))
        } else {
            self.batches.push(batch);
            None
        };
        Accepted { forward, reply: answer }
    }

    /// Accepts one message. Returns `None` if it must not reach the handler.
    fn accept_message(
        &mut self,
        mut message: Map<String, Value>,
    ) -> Result<Option<ClientJsonRpcMessage>, Box<ErrorResponse>> {
        let id = message.get("id").cloned().unwrap_or_default();
        let refuse = |error| ErrorResponse::new(id.clone(), error);
        let handshake = if self.version.is_some() { Handshake::Yes } else { Handshake::No };
        if let Err(error) = inbound::rewrite(&mut message, handshake) {
            return if id.is_null() { Ok(None) } else { Err(refuse(error)) };
        }
        let Some(message) = frame::to_typed(message)? else { return Ok(None) };
        match &message {
            JsonRpcMessage::Request(request) => {
                if self.phase != Phase::Open {
                    return Err(refuse(failure::shutting_down()));
                }
                if self.pending.contains(&request.id) || self.cancelled.contains(&request.id) {
                    return Err(refuse(ErrorData::invalid_request(ID_IN_USE, None)));
                }
                if self.started && matches!(request.request, ClientRequest::InitializeRequest(_)) {
                    return Err(refuse(ErrorData::invalid_request(ALREADY_INITIALIZED, None)));
                }
                self.started |= starts_connection(&request.request);
                self.pending.insert(request.id.clone());
                if matches!(request.request, ClientRequest::SubscriptionsListenRequest(_)) {
                    self.subscriptions.insert(request.id.clone());
                }
                if self.uncancellable.contains(&request.request) {
                    self.uncancellable_requests.insert(request.id.clone());
                }
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(it) = &notification.notification
                    && let Some(id) = &it.params.request_id
                {
                    if self.uncancellable_requests.contains(id) {
                        return Ok(None);
                    }
                    self.cancel(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        let is_request = matches!(message, JsonRpcMessage::Request(_));
        // Before the first request, the SDK would close the connection on any other message.
        Ok((self.started || is_request).then_some(message))
    }

    fn cancel(&mut self, id: &RequestId) {
        if !self.pending.remove(id) {
            return;
        }
        self.subscriptions.remove(id);
        if self.cancelled.len() == MAX_CANCELLED {
            self.cancelled.pop_front();
        }
        self.cancelled.push_back(id.clone());
    }

    /// Stops accepting requests.
    pub(crate) fn close(&mut self) {
        self.phase = Phase::Closing;
    }

    /// Returns `true` if no request is pending, apart from open subscriptions.
    pub(crate) fn is_idle(&self) -> bool {
        self.pending.len() == self.subscriptions.len()
    }

    /// Answers all pending requests with a shutdown error.
    pub(crate) fn fail_pending(&mut self) -> Vec<Value> {
        let pending: Vec<RequestId> = self.pending.iter().cloned().collect();
        let ending = |id| JsonRpcMessage::error(failure::shutting_down(), Some(id));
        let answers = pending.into_iter().filter_map(|id| self.outgoing(ending(id))).collect();
        self.phase = Phase::Closed;
        answers
    }

    /// Converts a message of the handler into the JSON to send, if there is anything to send now.
    pub(crate) fn outgoing(&mut self, message: ServerJsonRpcMessage) -> Option<Value> {
        let is_answer = matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_));
        if is_answer && self.phase == Phase::Closed {
            return None;
        }
        let answered = match &message {
            JsonRpcMessage::Response(response) => {
                if let ServerResult::InitializeResult(result) = &response.result {
                    self.version = Some(result.protocol_version.clone());
                }
                Some(response.id.clone())
            }
            JsonRpcMessage::Error(error) => error.id.clone(),
            JsonRpcMessage::Request(_) | JsonRpcMessage::Notification(_) => None,
        };
        let value = to_json(outbound::rewrite(message));
        let Some(id) = answered else { return Some(value) };
        self.pending.remove(&id);
        self.subscriptions.remove(&id);
        self.uncancellable_requests.remove(&id);
        let index = self.batches.iter().position(|batch| batch.pending.contains(&id));
        let Some(index) = index else { return Some(value) };
        let batch = &mut self.batches[index];
        batch.pending.remove(&id);
        batch.replies.push(value);
        self.finish_batch(index)
    }

    /// Returns the reply of a batch whose remaining requests were all cancelled.
    pub(crate) fn finished_batch(&mut self) -> Option<Value> {
        let Self { batches, cancelled, .. } = self;
        for batch in batches.iter_mut() {
            batch.pending.retain(|id| !cancelled.contains(id));
        }
        let index = batches.iter().position(|batch| batch.pending.is_empty())?;
        self.finish_batch(index)
    }

    fn finish_batch(&mut self, index: usize) -> Option<Value> {
        if !self.batches[index].pending.is_empty() {
            return None;
        }
        let batch = self.batches.swap_remove(index);
        (!batch.replies.is_empty()).then_some(Value::Array(batch.replies))
    }
}

/// Returns `true` if a request starts a connection: `initialize`, or a stateless request.
pub(crate) fn starts_connection(request: &ClientRequest) -> bool {
    if matches!(request, ClientRequest::InitializeRequest(_)) {
        return true;
    }
    if matches!(request, ClientRequest::DiscoverRequest(_) | ClientRequest::PingRequest(_)) {
        return false;
    }
    let meta = request.get_meta();
    meta.missing_required_keys(&ProtocolVersion::V_2026_07_28).is_empty()
        && meta
            .protocol_version()
            .is_some_and(|version| ProtocolVersion::KNOWN_VERSIONS.contains(&version))
}

/// Converts a message to JSON. JSON-RPC requires a null id in an error without an id.
fn to_json(message: ServerJsonRpcMessage) -> Value {
    let has_no_id = matches!(&message, JsonRpcMessage::Error(error) if error.id.is_none());
    let mut value = serde_json::to_value(message).unwrap_or_default();
    if has_no_id && let Some(object) = value.as_object_mut() {
        object.insert("id".to_owned(), Value::Null);
    }
    value
}

#[cfg(test)]
mod tests {
    use rmcp::model::{InitializeResult, ServerCapabilities};
    use serde_json::json;

    use super::*;

    fn accept(connection: &mut ConnectionState, value: &Value) -> Accepted {
        connection.accept(frame::parse(value.to_string().as_bytes()))
    }

    fn request(id: i64, method: &str) -> Value {
        json!({ "jsonrpc": "2.0", "id": id, "method": method })
    }

    fn initialized(version: ProtocolVersion) -> ConnectionState {
        let mut connection = ConnectionState::default();
        let params = json!({
            "protocolVersion": version, "capabilities": {},
            "clientInfo": { "name": "t", "version": "0" },
        });
        let first = json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params,
        });
        assert_eq!(accept(&mut connection, &first).forward.len(), 1);
        let result =
            InitializeResult::new(ServerCapabilities::default()).with_protocol_version(version);
        let answer =
            JsonRpcMessage::response(ServerResult::InitializeResult(result), RequestId::Number(0));
        assert!(connection.outgoing(answer).is_some());
        connection
    }

    fn answer(id: i64) -> ServerJsonRpcMessage {
        JsonRpcMessage::response(ServerResult::empty(()), RequestId::Number(id))
    }

    #[test]
    fn messages_before_initialize_are_dropped() {
        let mut connection = ConnectionState::default();
        for early in [
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
                "params": { "requestId": 5 } }),
            json!({ "jsonrpc": "2.0", "id": 3, "result": {} }),
        ] {
            let accepted = accept(&mut connection, &early);
            assert!(accepted.forward.is_empty() && accepted.reply.is_none(), "{early}");
        }
        assert_eq!(accept(&mut connection, &request(1, "ping")).forward.len(), 1);
    }

    #[test]
    fn an_id_can_be_reused_only_after_its_response() {
        let mut connection = initialized(ProtocolVersion::V_2025_11_25);
        assert_eq!(accept(&mut connection, &request(4, "tools/list")).forward.len(), 1);
        let again = accept(&mut connection, &request(4, "tools/list"));
        assert!(again.forward.is_empty());
        let answered = again.reply.unwrap();
        assert_eq!((&answered["id"], &answered["error"]["code"]), (&json!(4), &json!(-32600)));
        assert!(connection.outgoing(answer(4)).is_some());
        assert_eq!(accept(&mut connection, &request(4, "tools/list")).forward.len(), 1);
    }

    #[test]
    fn a_cancelled_id_does_not_come_back() {
        let mut connection = initialized(ProtocolVersion::V_2025_11_25);
        accept(&mut connection, &request(4, "tools/list"));
        let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": { "requestId": 4 } });
        assert_eq!(accept(&mut connection, &cancel).forward.len(), 1);
        assert!(accept(&mut connection, &request(4, "tools/list")).forward.is_empty());
    }

    #[test]
    fn a_second_initialize_is_refused() {
        let mut connection = initialized(ProtocolVersion::V_2025_06_18);
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "t", "version": "0" } });
        let again = json!({ "jsonrpc": "2.0", "id": 9, "method": "initialize", "params": params });
        assert_eq!(accept(&mut connection, &again).reply.unwrap()["error"]["code"], -32600);
    }

    #[test]
    fn a_batch_is_answered_with_one_array() {
        let mut connection = initialized(ProtocolVersion::V_2025_03_26);
        let batch = json!([
            request(1, "ping"),
            { "jsonrpc": "2.0", "method": "notifications/initialized" },
            7,
            request(2, "tools/list"),
        ]);
        let accepted = accept(&mut connection, &batch);
        assert_eq!((accepted.forward.len(), accepted.reply), (3, None));
        assert_eq!(connection.outgoing(answer(2)), None);
        let all = connection.outgoing(answer(1)).unwrap();
        let ids: Vec<_> = all.as_array().unwrap().iter().map(|one| one["id"].clone()).collect();
        assert_eq!(ids, [json!(null), json!(2), json!(1)]);
    }

    #[test]
    fn a_batch_with_a_cancelled_request_is_answered_without_it() {
        let mut connection = initialized(ProtocolVersion::V_2025_03_26);
        accept(&mut connection, &json!([request(1, "ping"), request(2, "tools/list")]));
        assert_eq!(connection.outgoing(answer(1)), None);
        let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": { "requestId": 2 } });
        accept(&mut connection, &cancel);
        assert_eq!(connection.finished_batch().unwrap().as_array().unwrap().len(), 1);
        assert_eq!(connection.finished_batch(), None);
    }

    #[test]
    fn a_closing_connection_refuses_requests_and_answers_pending_ones_once() {
        let mut connection = initialized(ProtocolVersion::V_2025_11_25);
        accept(&mut connection, &request(1, "tools/list"));
        connection.close();
        let refused = accept(&mut connection, &request(2, "ping"));
        assert_eq!(refused.reply.unwrap()["error"]["code"], -32000);
        assert!(!connection.is_idle());
        let cut = connection.fail_pending();
        assert_eq!(
            (cut.len(), &cut[0]["id"], &cut[0]["error"]["code"]),
            (1, &json!(1), &json!(-32000))
        );
        assert!(connection.is_idle());
        assert_eq!(connection.outgoing(answer(1)), None, "a second response is dropped");
    }

    #[test]
    fn unsupported_and_empty_batches_are_refused() {
        for version in [ProtocolVersion::V_2024_11_05, ProtocolVersion::V_2025_11_25] {
            let mut connection = initialized(version);
            let accepted = accept(&mut connection, &json!([request(1, "ping")]));
            assert!(accepted.forward.is_empty());
            assert_eq!(accepted.reply.unwrap()["error"]["code"], -32600);
        }
        let mut connection = initialized(ProtocolVersion::V_2025_03_26);
        assert_eq!(accept(&mut connection, &json!([])).reply.unwrap()["error"]["code"], -32600);
    }

    #[test]
    fn an_uncancellable_call_is_answered_although_it_is_cancelled() {
        use crate::tool::list::{CancelMode, OfferedTool, TaskMode, ToolList};
        let tool = rmcp::model::Tool::new("await", "Waits", serde_json::Map::new());
        let cancel_mode = CancelMode::Ignored;
        let offered = OfferedTool { cancel_mode, ..OfferedTool::read_only(tool, TaskMode::Never) };
        let mut connection = initialized(ProtocolVersion::V_2025_11_25);
        connection.uncancellable =
            Uncancellable::new(&std::sync::Arc::new(ToolList::new(vec![offered])));
        for (id, tool, is_answered) in [(1, "await", true), (2, "other", false)] {
            let call = json!({
                "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool },
            });
            assert_eq!(accept(&mut connection, &call).forward.len(), 1);
            let cancelled = json!({
                "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id },
            });
            let forward = accept(&mut connection, &cancelled).forward;
            assert_eq!(forward.is_empty(), is_answered, "{tool}");
            assert_eq!(connection.pending.contains(&RequestId::Number(id)), is_answered, "{tool}");
        }
        assert!(
            connection.outgoing(answer(1)).is_some()
                && connection.uncancellable_requests.is_empty()
        );
    }
}
