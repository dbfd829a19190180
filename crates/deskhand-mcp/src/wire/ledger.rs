//! The protocol state of one connection: pending requests, the negotiated version and open batches.
//! It does no I/O: messages go in, messages and replies come out.

use std::collections::{HashSet, VecDeque};

use rmcp::model::{
    ClientJsonRpcMessage, ClientNotification, ClientRequest, ErrorData, GetMeta, JsonRpcMessage,
    ProtocolVersion, RequestId, ServerJsonRpcMessage, ServerResult,
};
use serde_json::{Map, Value};

use super::{
    frame::{self, Frame, Refusal},
    inbound::{self, Handshake},
    outbound,
    steadfast::Steadfast,
};
use crate::server::failure;

/// Number of cancelled request ids that are remembered: a late response must not be taken for the
/// response to a new request with the same id.
const CANCELLED: usize = 1024;

/// Error message for a request whose id is in use.
pub(crate) const IN_USE: &str = "id: already used by a pending request";

/// Error message for a second `initialize`.
pub(crate) const INITIALIZED: &str = "this connection is already initialized";

/// The protocol state of one connection.
#[derive(Debug, Default)]
pub(crate) struct Ledger {
    version: Option<ProtocolVersion>,
    begun: bool,
    running: HashSet<RequestId>,
    listening: HashSet<RequestId>,
    steadfast: Steadfast,
    staying: HashSet<RequestId>,
    cancelled: VecDeque<RequestId>,
    batches: Vec<Batch>,
    stage: Stage,
}

/// The lifecycle phase of a connection.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Stage {
    /// Requests are accepted.
    #[default]
    Open,
    /// No new requests are accepted.
    Closing,
    /// All requests are answered.
    Cut,
}

/// A batch of requests, which is answered with one array.
#[derive(Debug)]
struct Batch {
    waiting: HashSet<RequestId>,
    answers: Vec<Value>,
}

/// The result of accepting a frame.
#[derive(Debug, Default)]
pub(crate) struct Taken {
    /// Messages for the handler.
    pub(crate) forward: Vec<ClientJsonRpcMessage>,
    /// A reply to send immediately.
    pub(crate) answer: Option<Value>,
}

impl Ledger {
    /// Creates the state of a connection whose tools include uncancellable ones.
    pub(crate) fn with(steadfast: Steadfast) -> Self {
        Self { steadfast, ..Self::default() }
    }

    /// Accepts an incoming frame.
    pub(crate) fn take(&mut self, frame: Frame) -> Taken {
        match frame {
            Frame::Message(message) => match self.enter(message) {
                Ok(forward) => Taken { forward: forward.into_iter().collect(), answer: None },
                Err(refusal) => Taken { forward: Vec::new(), answer: Some(refusal.answer()) },
            },
            Frame::Batch(messages) => self.take_batch(messages),
            Frame::Bad(refusal) => Taken { forward: Vec::new(), answer: Some(refusal.answer()) },
        }
    }

    fn take_batch(&mut self, messages: Vec<Value>) -> Taken {
        let why = if self.version != Some(ProtocolVersion::V_2025_03_26) {
            Some(frame::NO_BATCHES)
        } else if messages.is_empty() {
            Some(frame::EMPTY)
        } else {
            None
        };
        if let Some(why) = why {
            let refusal = Refusal::nameless(ErrorData::invalid_request(why, None));
            return Taken { forward: Vec::new(), answer: Some(refusal.answer()) };
        }
        let mut forward = Vec::new();
        let mut batch = Batch { waiting: HashSet::new(), answers: Vec::new() };
        for message in messages {
            match frame::message(message).and_then(|message| self.enter(message)) {
                Ok(Some(message)) => {
                    if let JsonRpcMessage::Request(request) = &message {
                        batch.waiting.insert(request.id.clone());
                    }
                    forward.push(message);
                }
                Ok(None) => {}
                Err(refusal) => batch.answers.push(refusal.answer()),
            }
        }
        let answer = if batch.waiting.is_empty() {
            (!batch.answers.is_empty()).then(|| Value::Array(batch.answers))
        } else {
            self.batches.push(batch);
            None
        };
        Taken { forward, answer }
    }

    /// Accepts one message. Returns `None` if it must not reach the handler.
    fn enter(
        &mut self,
        mut message: Map<String, Value>,
    ) -> Result<Option<ClientJsonRpcMessage>, Box<Refusal>> {
        let id = message.get("id").cloned().unwrap_or_default();
        let refuse = |error| Refusal::of(id.clone(), error);
        let handshake = if self.version.is_some() { Handshake::Yes } else { Handshake::No };
        if let Err(error) = inbound::rewrite(&mut message, handshake) {
            return if id.is_null() { Ok(None) } else { Err(refuse(error)) };
        }
        let Some(message) = frame::typed(message)? else { return Ok(None) };
        match &message {
            JsonRpcMessage::Request(request) => {
                if self.stage != Stage::Open {
                    return Err(refuse(failure::ending()));
                }
                if self.running.contains(&request.id) || self.cancelled.contains(&request.id) {
                    return Err(refuse(ErrorData::invalid_request(IN_USE, None)));
                }
                if self.begun && matches!(request.request, ClientRequest::InitializeRequest(_)) {
                    return Err(refuse(ErrorData::invalid_request(INITIALIZED, None)));
                }
                self.begun |= begins(&request.request);
                self.running.insert(request.id.clone());
                if matches!(request.request, ClientRequest::SubscriptionsListenRequest(_)) {
                    self.listening.insert(request.id.clone());
                }
                if self.steadfast.has(&request.request) {
                    self.staying.insert(request.id.clone());
                }
            }
            JsonRpcMessage::Notification(notification) => {
                if let ClientNotification::CancelledNotification(it) = &notification.notification
                    && let Some(id) = &it.params.request_id
                {
                    if self.staying.contains(id) {
                        return Ok(None);
                    }
                    self.cancel(id);
                }
            }
            JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_) => {}
        }
        let is_request = matches!(message, JsonRpcMessage::Request(_));
        // Before that, only requests are valid; the SDK would close the connection.
        Ok((self.begun || is_request).then_some(message))
    }

    fn cancel(&mut self, id: &RequestId) {
        if !self.running.remove(id) {
            return;
        }
        self.listening.remove(id);
        if self.cancelled.len() == CANCELLED {
            self.cancelled.pop_front();
        }
        self.cancelled.push_back(id.clone());
    }

    /// Stops accepting requests.
    pub(crate) fn close(&mut self) {
        self.stage = Stage::Closing;
    }

    /// Returns `true` if no request is pending, apart from open subscriptions.
    pub(crate) fn is_quiet(&self) -> bool {
        self.running.len() == self.listening.len()
    }

    /// Answers all pending requests with a shutdown error.
    pub(crate) fn cut(&mut self) -> Vec<Value> {
        let running: Vec<RequestId> = self.running.iter().cloned().collect();
        let ending = |id| JsonRpcMessage::error(failure::ending(), Some(id));
        let answers = running.into_iter().filter_map(|id| self.give(ending(id))).collect();
        self.stage = Stage::Cut;
        answers
    }

    /// Converts a message of the handler into the JSON to send, if there is anything to send now.
    pub(crate) fn give(&mut self, message: ServerJsonRpcMessage) -> Option<Value> {
        let is_answer = matches!(message, JsonRpcMessage::Response(_) | JsonRpcMessage::Error(_));
        if is_answer && self.stage == Stage::Cut {
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
        let value = written(outbound::rewrite(message));
        let Some(id) = answered else { return Some(value) };
        self.running.remove(&id);
        self.listening.remove(&id);
        self.staying.remove(&id);
        let place = self.batches.iter().position(|batch| batch.waiting.contains(&id));
        let Some(place) = place else { return Some(value) };
        let batch = &mut self.batches[place];
        batch.waiting.remove(&id);
        batch.answers.push(value);
        self.finished(place)
    }

    /// Returns the reply of a batch whose remaining requests were all cancelled.
    pub(crate) fn settled(&mut self) -> Option<Value> {
        let Self { batches, cancelled, .. } = self;
        for batch in batches.iter_mut() {
            batch.waiting.retain(|id| !cancelled.contains(id));
        }
        let place = batches.iter().position(|batch| batch.waiting.is_empty())?;
        self.finished(place)
    }

    fn finished(&mut self, place: usize) -> Option<Value> {
        if !self.batches[place].waiting.is_empty() {
            return None;
        }
        let batch = self.batches.swap_remove(place);
        (!batch.answers.is_empty()).then_some(Value::Array(batch.answers))
    }
}

/// Returns `true` if a request starts a connection: `initialize`, or a stateless request.
pub(crate) fn begins(request: &ClientRequest) -> bool {
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
fn written(message: ServerJsonRpcMessage) -> Value {
    let nameless = matches!(&message, JsonRpcMessage::Error(error) if error.id.is_none());
    let mut value = serde_json::to_value(message).unwrap_or_default();
    if nameless && let Some(object) = value.as_object_mut() {
        object.insert("id".to_owned(), Value::Null);
    }
    value
}

#[cfg(test)]
mod tests {
    use rmcp::model::{InitializeResult, ServerCapabilities};
    use serde_json::json;

    use super::*;

    fn take(ledger: &mut Ledger, value: &Value) -> Taken {
        ledger.take(frame::read(value.to_string().as_bytes()))
    }

    fn request(id: i64, method: &str) -> Value {
        json!({ "jsonrpc": "2.0", "id": id, "method": method })
    }

    fn initialized(version: ProtocolVersion) -> Ledger {
        let mut ledger = Ledger::default();
        let params = json!({
            "protocolVersion": version, "capabilities": {},
            "clientInfo": { "name": "t", "version": "0" },
        });
        let first = json!({
            "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params,
        });
        assert_eq!(take(&mut ledger, &first).forward.len(), 1);
        let result =
            InitializeResult::new(ServerCapabilities::default()).with_protocol_version(version);
        let answer =
            JsonRpcMessage::response(ServerResult::InitializeResult(result), RequestId::Number(0));
        assert!(ledger.give(answer).is_some());
        ledger
    }

    fn answer(id: i64) -> ServerJsonRpcMessage {
        JsonRpcMessage::response(ServerResult::empty(()), RequestId::Number(id))
    }

    #[test]
    fn messages_before_initialize_are_dropped() {
        let mut ledger = Ledger::default();
        for early in [
            json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }),
            json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
                "params": { "requestId": 5 } }),
            json!({ "jsonrpc": "2.0", "id": 3, "result": {} }),
        ] {
            let taken = take(&mut ledger, &early);
            assert!(taken.forward.is_empty() && taken.answer.is_none(), "{early}");
        }
        assert_eq!(take(&mut ledger, &request(1, "ping")).forward.len(), 1);
    }

    #[test]
    fn an_id_can_be_reused_only_after_its_response() {
        let mut ledger = initialized(ProtocolVersion::V_2025_11_25);
        assert_eq!(take(&mut ledger, &request(4, "tools/list")).forward.len(), 1);
        let again = take(&mut ledger, &request(4, "tools/list"));
        assert!(again.forward.is_empty());
        let answered = again.answer.unwrap();
        assert_eq!((&answered["id"], &answered["error"]["code"]), (&json!(4), &json!(-32600)));
        assert!(ledger.give(answer(4)).is_some());
        assert_eq!(take(&mut ledger, &request(4, "tools/list")).forward.len(), 1);
    }

    #[test]
    fn a_cancelled_id_does_not_come_back() {
        let mut ledger = initialized(ProtocolVersion::V_2025_11_25);
        take(&mut ledger, &request(4, "tools/list"));
        let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": { "requestId": 4 } });
        assert_eq!(take(&mut ledger, &cancel).forward.len(), 1);
        assert!(take(&mut ledger, &request(4, "tools/list")).forward.is_empty());
    }

    #[test]
    fn a_second_initialize_is_refused() {
        let mut ledger = initialized(ProtocolVersion::V_2025_06_18);
        let params = json!({ "protocolVersion": "2025-06-18", "capabilities": {},
            "clientInfo": { "name": "t", "version": "0" } });
        let again = json!({ "jsonrpc": "2.0", "id": 9, "method": "initialize", "params": params });
        assert_eq!(take(&mut ledger, &again).answer.unwrap()["error"]["code"], -32600);
    }

    #[test]
    fn a_batch_is_answered_with_one_array() {
        let mut ledger = initialized(ProtocolVersion::V_2025_03_26);
        let batch = json!([
            request(1, "ping"),
            { "jsonrpc": "2.0", "method": "notifications/initialized" },
            7,
            request(2, "tools/list"),
        ]);
        let taken = take(&mut ledger, &batch);
        assert_eq!((taken.forward.len(), taken.answer), (3, None));
        assert_eq!(ledger.give(answer(2)), None);
        let all = ledger.give(answer(1)).unwrap();
        let ids: Vec<_> = all.as_array().unwrap().iter().map(|one| one["id"].clone()).collect();
        assert_eq!(ids, [json!(null), json!(2), json!(1)]);
    }

    #[test]
    fn a_batch_with_a_cancelled_request_is_answered_without_it() {
        let mut ledger = initialized(ProtocolVersion::V_2025_03_26);
        take(&mut ledger, &json!([request(1, "ping"), request(2, "tools/list")]));
        assert_eq!(ledger.give(answer(1)), None);
        let cancel = json!({ "jsonrpc": "2.0", "method": "notifications/cancelled",
            "params": { "requestId": 2 } });
        take(&mut ledger, &cancel);
        assert_eq!(ledger.settled().unwrap().as_array().unwrap().len(), 1);
        assert_eq!(ledger.settled(), None);
    }

    #[test]
    fn a_closing_connection_refuses_requests_and_answers_pending_ones_once() {
        let mut ledger = initialized(ProtocolVersion::V_2025_11_25);
        take(&mut ledger, &request(1, "tools/list"));
        ledger.close();
        let refused = take(&mut ledger, &request(2, "ping"));
        assert_eq!(refused.answer.unwrap()["error"]["code"], -32000);
        assert!(!ledger.is_quiet());
        let cut = ledger.cut();
        assert_eq!(
            (cut.len(), &cut[0]["id"], &cut[0]["error"]["code"]),
            (1, &json!(1), &json!(-32000))
        );
        assert!(ledger.is_quiet());
        assert_eq!(ledger.give(answer(1)), None, "a second response is dropped");
    }

    #[test]
    fn unsupported_and_empty_batches_are_refused() {
        for version in [ProtocolVersion::V_2024_11_05, ProtocolVersion::V_2025_11_25] {
            let mut ledger = initialized(version);
            let taken = take(&mut ledger, &json!([request(1, "ping")]));
            assert!(taken.forward.is_empty());
            assert_eq!(taken.answer.unwrap()["error"]["code"], -32600);
        }
        let mut ledger = initialized(ProtocolVersion::V_2025_03_26);
        assert_eq!(take(&mut ledger, &json!([])).answer.unwrap()["error"]["code"], -32600);
    }

    #[test]
    fn an_uncancellable_call_is_answered_although_it_is_cancelled() {
        use crate::tool::list::{Cancelling, Offered, Support, Tools};
        let tool = rmcp::model::Tool::new("await", "Waits", serde_json::Map::new());
        let cancelling = Cancelling::NotHeard;
        let offered = Offered { cancelling, ..Offered::looking(tool, Support::Never) };
        let mut ledger = initialized(ProtocolVersion::V_2025_11_25);
        ledger.steadfast = Steadfast::of(&std::sync::Arc::new(Tools::new(vec![offered])));
        for (id, tool, is_answered) in [(1, "await", true), (2, "other", false)] {
            let call = json!({
                "jsonrpc": "2.0", "id": id, "method": "tools/call", "params": { "name": tool },
            });
            assert_eq!(take(&mut ledger, &call).forward.len(), 1);
            let cancelled = json!({
                "jsonrpc": "2.0", "method": "notifications/cancelled", "params": { "requestId": id },
            });
            let forward = take(&mut ledger, &cancelled).forward;
            assert_eq!(forward.is_empty(), is_answered, "{tool}");
            assert_eq!(ledger.running.contains(&RequestId::Number(id)), is_answered, "{tool}");
        }
        assert!(ledger.give(answer(1)).is_some() && ledger.staying.is_empty());
    }
}
