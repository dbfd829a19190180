//! Input requests in protocol 2026-07-28: the call ends with its input requests, and the client
//! makes it again with the responses. The responses of earlier rounds travel in the sealed request
//! state.

use std::collections::BTreeMap;

use deskhand_engine::QuestionPurpose;
use rmcp::model::{
    ErrorData, InputRequest, InputRequests, InputRequiredResult, InputResponses, JsonObject,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{InputOutcome, InputQuery, state_signer::StateSigner};

/// The input requests and responses of one call, over all its rounds.
#[derive(Debug)]
pub(super) struct RoundTrips {
    bound_data: Vec<u8>,
    answers: BTreeMap<String, StoredAnswer>,
    unrequested: InputResponses,
    requests: InputRequests,
    fingerprints: BTreeMap<String, String>,
}

/// The content of a sealed request state.
#[derive(Debug, Serialize, Deserialize)]
struct RequestState {
    /// Responses of earlier rounds.
    answers: BTreeMap<String, StoredAnswer>,
    /// Fingerprints of the input requests sent now.
    requested: BTreeMap<String, String>,
}

/// A response and the fingerprint of its request: the same key with a different message or schema
/// is a different request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct StoredAnswer {
    fingerprint: String,
    answer: Value,
}

/// Returns the data a request state is bound to: it is valid only for this tool and these
/// arguments.
pub(super) fn bound_data(name: &str, arguments: Option<&JsonObject>) -> Vec<u8> {
    // Sorted: a client may send the arguments in any order.
    let sorted: BTreeMap<&String, &Value> = arguments.into_iter().flatten().collect();
    serde_json::to_vec(&(name, sorted)).unwrap_or_default()
}

impl RoundTrips {
    /// Starts a round with the responses the client has sent so far.
    pub(super) fn open(
        signer: &StateSigner,
        bound_data: Vec<u8>,
        responses: Option<InputResponses>,
        state: Option<&str>,
    ) -> Result<Self, ErrorData> {
        let mut answers = BTreeMap::new();
        let mut unrequested: InputResponses =
            responses.into_iter().flatten().filter(|(_, it)| it.is_object()).collect();
        if let Some(sealed) = state {
            let state_content: RequestState = signer
                .open(sealed, &bound_data)
                .map_err(|why| ErrorData::invalid_params(format!("requestState: {why}"), None))?;
            answers = state_content.answers;
            for (key, fingerprint) in state_content.requested {
                if let Some(answer) = unrequested.remove(&key) {
                    answers.insert(key, StoredAnswer { fingerprint, answer });
                }
            }
        }
        Ok(Self {
            bound_data,
            answers,
            unrequested,
            requests: InputRequests::new(),
            fingerprints: BTreeMap::new(),
        })
    }

    /// Returns the keys of all responses that came with the call.
    pub(super) fn answered_keys(&self) -> Vec<String> {
        self.answers.keys().chain(self.unrequested.keys()).cloned().collect()
    }

    /// Returns the response of an earlier round, or queues the request for the client. Requests for
    /// permission ignore responses that the client sent before it was asked.
    pub(super) fn ask(
        &mut self,
        key: &str,
        asks: QuestionPurpose,
        fingerprint: String,
        request: InputRequest,
    ) -> InputOutcome {
        if let Some(answered) = self.answers.get(key).filter(|it| it.fingerprint == fingerprint) {
            return InputOutcome::Answer(answered.answer.clone());
        }
        if let Some(answer) =
            self.unrequested.get(key).filter(|_| asks == QuestionPurpose::Information)
        {
            return InputOutcome::Answer(answer.clone());
        }
        self.answers.remove(key);
        self.fingerprints.insert(key.to_owned(), fingerprint);
        self.requests.insert(key.to_owned(), request);
        InputOutcome::Deferred
    }

    /// Returns the result that requests input from the client, if any request is queued.
    pub(super) fn required_input(
        &mut self,
        signer: &StateSigner,
    ) -> Result<Option<InputRequiredResult>, ErrorData> {
        if self.requests.is_empty() {
            return Ok(None);
        }
        let requested = std::mem::take(&mut self.fingerprints);
        let state_content = RequestState { answers: self.answers.clone(), requested };
        let sealed = signer
            .seal(&state_content, &self.bound_data)
            .map_err(|error| ErrorData::internal_error(error, None))?;
        Ok(Some(InputRequiredResult::new(Some(std::mem::take(&mut self.requests)), Some(sealed))))
    }
}

/// Returns the text that identifies an input request: what the user decides on. Sampling has none,
/// because its messages may differ from round to round.
pub(super) fn fingerprint(query: &InputQuery) -> String {
    match query {
        InputQuery::ElicitForm { message, schema } => format!("{message}\n{schema}"),
        InputQuery::ElicitUrl { message, url } => format!("{message}\n{url}"),
        InputQuery::Sampling(_) | InputQuery::Roots => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn form() -> InputRequest {
        let schema = json!({ "type": "object", "properties": { "x": { "type": "string" } } });
        InputQuery::ElicitForm { message: "?".to_owned(), schema }.into_request().unwrap()
    }

    fn ask(rounds: &mut RoundTrips, key: &str) -> InputOutcome {
        rounds.ask(key, QuestionPurpose::Consent, format!("{key}?"), form())
    }

    fn responses(keys: &[&str]) -> Option<InputResponses> {
        let accept = |key: &&str| ((*key).to_owned(), json!({ "action": "accept" }));
        Some(keys.iter().map(accept).collect())
    }

    fn state(rounds: &mut RoundTrips, signer: &StateSigner) -> String {
        rounds.required_input(signer).unwrap().unwrap().request_state.unwrap()
    }

    #[test]
    fn responses_of_earlier_rounds_are_remembered() {
        let (signer, of) = (StateSigner::new(), bound_data("t", None));
        let mut first = RoundTrips::open(&signer, of.clone(), None, None).unwrap();
        assert_eq!(ask(&mut first, "a"), InputOutcome::Deferred);
        let sealed = state(&mut first, &signer);
        let mut second =
            RoundTrips::open(&signer, of.clone(), responses(&["a"]), Some(&sealed)).unwrap();
        assert!(matches!(ask(&mut second, "a"), InputOutcome::Answer(_)));
        assert_eq!(ask(&mut second, "b"), InputOutcome::Deferred);
        let sealed = state(&mut second, &signer);
        let mut third = RoundTrips::open(&signer, of, responses(&["b"]), Some(&sealed)).unwrap();
        assert!(matches!(ask(&mut third, "a"), InputOutcome::Answer(_)));
        assert!(matches!(ask(&mut third, "b"), InputOutcome::Answer(_)));
        assert!(third.required_input(&signer).unwrap().is_none());
    }

    #[test]
    fn a_changed_state_or_one_of_another_call_is_refused() {
        let signer = StateSigner::new();
        let arguments = json!({ "b": 1, "a": 2 });
        let of = bound_data("t", arguments.as_object());
        let mut rounds = RoundTrips::open(&signer, of.clone(), None, None).unwrap();
        ask(&mut rounds, "a");
        let sealed = state(&mut rounds, &signer);
        for (bound_data, sealed) in [
            (bound_data("other", arguments.as_object()), sealed.clone()),
            (bound_data("t", None), sealed.clone()),
            (of, format!("{sealed}x")),
        ] {
            let refused = RoundTrips::open(&signer, bound_data, None, Some(&sealed)).unwrap_err();
            assert_eq!(refused.code.0, -32602);
        }
        let same = json!({ "a": 2, "b": 1 });
        assert!(
            RoundTrips::open(&signer, bound_data("t", same.as_object()), None, Some(&sealed))
                .is_ok()
        );
    }

    #[test]
    fn a_request_state_can_be_used_once() {
        let (signer, of) = (StateSigner::new(), bound_data("t", None));
        let mut first = RoundTrips::open(&signer, of.clone(), None, None).unwrap();
        ask(&mut first, "a");
        let sealed = state(&mut first, &signer);
        assert!(RoundTrips::open(&signer, of.clone(), responses(&["a"]), Some(&sealed)).is_ok());
        let again = RoundTrips::open(&signer, of, responses(&["a"]), Some(&sealed)).unwrap_err();
        assert!(again.message.contains("already used"), "{again:?}");
    }

    #[test]
    fn an_unrequested_approval_is_ignored() {
        let (signer, of) = (StateSigner::new(), bound_data("t", None));
        let mut forged = RoundTrips::open(&signer, of.clone(), responses(&["a"]), None).unwrap();
        assert_eq!(ask(&mut forged, "a"), InputOutcome::Deferred);
        let early = forged.ask("a", QuestionPurpose::Information, "Which?".to_owned(), form());
        assert!(
            matches!(early, InputOutcome::Answer(_)),
            "responses that grant nothing may come early"
        );
        let sealed = state(&mut forged, &signer);
        let mut other =
            RoundTrips::open(&signer, of, responses(&["a", "b"]), Some(&sealed)).unwrap();
        assert_eq!(ask(&mut other, "b"), InputOutcome::Deferred);
    }

    #[test]
    fn an_approval_is_valid_for_its_own_message_only() {
        let (signer, of) = (StateSigner::new(), bound_data("t", None));
        let mut first = RoundTrips::open(&signer, of.clone(), None, None).unwrap();
        first.ask("a", QuestionPurpose::Consent, "Delete one?".to_owned(), form());
        let sealed = state(&mut first, &signer);
        let mut second = RoundTrips::open(&signer, of, responses(&["a"]), Some(&sealed)).unwrap();
        assert_eq!(
            second.ask("a", QuestionPurpose::Consent, "Delete all?".to_owned(), form()),
            InputOutcome::Deferred
        );
    }

    #[test]
    fn a_response_that_is_no_object_is_requested_again() {
        let (signer, of) = (StateSigner::new(), bound_data("t", None));
        let mut first = RoundTrips::open(&signer, of.clone(), None, None).unwrap();
        ask(&mut first, "a");
        let sealed = state(&mut first, &signer);
        let nonsense = Some(InputResponses::from([("a".to_owned(), json!(7))]));
        let mut rounds = RoundTrips::open(&signer, of, nonsense, Some(&sealed)).unwrap();
        assert_eq!(ask(&mut rounds, "a"), InputOutcome::Deferred);
    }
}
