//! Input requests in protocol 2026-07-28: the call ends with its input requests, and the client makes
//! it again with the responses. The responses of earlier rounds travel in the sealed request state.

use std::collections::BTreeMap;

use deskhand_engine::Asks;
use rmcp::model::{
    ErrorData, InputRequest, InputRequests, InputRequiredResult, InputResponses, JsonObject,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::{Heard, Query, seals::Seals};

/// The input requests and responses of one call, over all its rounds.
#[derive(Debug)]
pub(super) struct Rounds {
    subject: Vec<u8>,
    answers: BTreeMap<String, Answered>,
    unasked: InputResponses,
    asked: InputRequests,
    words: BTreeMap<String, String>,
}

/// The content of a sealed request state.
#[derive(Debug, Serialize, Deserialize)]
struct Carried {
    /// Responses of earlier rounds.
    answers: BTreeMap<String, Answered>,
    /// Fingerprints of the input requests sent now.
    asked: BTreeMap<String, String>,
}

/// A response and the fingerprint of its request: the same key with a different message or schema is
/// a different request.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Answered {
    words: String,
    answer: Value,
}

/// Returns the data a request state is bound to: it is valid only for this tool and these arguments.
pub(super) fn subject(name: &str, arguments: Option<&JsonObject>) -> Vec<u8> {
    // Sorted: a client may send the arguments in any order.
    let sorted: BTreeMap<&String, &Value> = arguments.into_iter().flatten().collect();
    serde_json::to_vec(&(name, sorted)).unwrap_or_default()
}

impl Rounds {
    /// Starts a round with the responses the client has sent so far.
    pub(super) fn open(
        seals: &Seals,
        subject: Vec<u8>,
        given: Option<InputResponses>,
        state: Option<&str>,
    ) -> Result<Self, ErrorData> {
        let mut answers = BTreeMap::new();
        let mut unasked: InputResponses =
            given.into_iter().flatten().filter(|(_, it)| it.is_object()).collect();
        if let Some(sealed) = state {
            let carried: Carried = seals
                .open(sealed, &subject)
                .map_err(|why| ErrorData::invalid_params(format!("requestState: {why}"), None))?;
            answers = carried.answers;
            for (key, words) in carried.asked {
                if let Some(answer) = unasked.remove(&key) {
                    answers.insert(key, Answered { words, answer });
                }
            }
        }
        Ok(Self { subject, answers, unasked, asked: InputRequests::new(), words: BTreeMap::new() })
    }

    /// Returns the keys of all responses that came with the call.
    pub(super) fn known(&self) -> Vec<String> {
        self.answers.keys().chain(self.unasked.keys()).cloned().collect()
    }

    /// Returns the response of an earlier round, or queues the request for the client. Requests for
    /// permission ignore responses that the client sent before it was asked.
    pub(super) fn ask(
        &mut self,
        key: &str,
        asks: Asks,
        words: String,
        request: InputRequest,
    ) -> Heard {
        if let Some(answered) = self.answers.get(key).filter(|it| it.words == words) {
            return Heard::Answer(answered.answer.clone());
        }
        if let Some(answer) = self.unasked.get(key).filter(|_| asks == Asks::What) {
            return Heard::Answer(answer.clone());
        }
        self.answers.remove(key);
        self.words.insert(key.to_owned(), words);
        self.asked.insert(key.to_owned(), request);
        Heard::Later
    }

    /// Returns the result that requests input from the client, if any request is queued.
    pub(super) fn required(
        &mut self,
        seals: &Seals,
    ) -> Result<Option<InputRequiredResult>, ErrorData> {
        if self.asked.is_empty() {
            return Ok(None);
        }
        let asked = std::mem::take(&mut self.words);
        let carried = Carried { answers: self.answers.clone(), asked };
        let sealed = seals
            .seal(&carried, &self.subject)
            .map_err(|error| ErrorData::internal_error(error, None))?;
        Ok(Some(InputRequiredResult::new(Some(std::mem::take(&mut self.asked)), Some(sealed))))
    }
}

/// Returns the text that identifies an input request: what the user decides on. Sampling has none,
/// because its messages may differ from round to round.
pub(super) fn words(query: &Query) -> String {
    match query {
        Query::Form { message, schema } => format!("{message}\n{schema}"),
        Query::Page { message, url } => format!("{message}\n{url}"),
        Query::Sample(_) | Query::Roots => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn form() -> InputRequest {
        let schema = json!({ "type": "object", "properties": { "x": { "type": "string" } } });
        Query::Form { message: "?".to_owned(), schema }.request().unwrap()
    }

    fn ask(rounds: &mut Rounds, key: &str) -> Heard {
        rounds.ask(key, Asks::Leave, format!("{key}?"), form())
    }

    fn given(keys: &[&str]) -> Option<InputResponses> {
        let accept = |key: &&str| ((*key).to_owned(), json!({ "action": "accept" }));
        Some(keys.iter().map(accept).collect())
    }

    fn state(rounds: &mut Rounds, seals: &Seals) -> String {
        rounds.required(seals).unwrap().unwrap().request_state.unwrap()
    }

    #[test]
    fn responses_of_earlier_rounds_are_remembered() {
        let (seals, of) = (Seals::new(), subject("t", None));
        let mut first = Rounds::open(&seals, of.clone(), None, None).unwrap();
        assert_eq!(ask(&mut first, "a"), Heard::Later);
        let sealed = state(&mut first, &seals);
        let mut second = Rounds::open(&seals, of.clone(), given(&["a"]), Some(&sealed)).unwrap();
        assert!(matches!(ask(&mut second, "a"), Heard::Answer(_)));
        assert_eq!(ask(&mut second, "b"), Heard::Later);
        let sealed = state(&mut second, &seals);
        let mut third = Rounds::open(&seals, of, given(&["b"]), Some(&sealed)).unwrap();
        assert!(matches!(ask(&mut third, "a"), Heard::Answer(_)));
        assert!(matches!(ask(&mut third, "b"), Heard::Answer(_)));
        assert!(third.required(&seals).unwrap().is_none());
    }

    #[test]
    fn a_changed_state_or_one_of_another_call_is_refused() {
        let seals = Seals::new();
        let arguments = json!({ "b": 1, "a": 2 });
        let of = subject("t", arguments.as_object());
        let mut rounds = Rounds::open(&seals, of.clone(), None, None).unwrap();
        ask(&mut rounds, "a");
        let sealed = state(&mut rounds, &seals);
        for (subject, sealed) in [
            (subject("other", arguments.as_object()), sealed.clone()),
            (subject("t", None), sealed.clone()),
            (of, format!("{sealed}x")),
        ] {
            let refused = Rounds::open(&seals, subject, None, Some(&sealed)).unwrap_err();
            assert_eq!(refused.code.0, -32602);
        }
        let same = json!({ "a": 2, "b": 1 });
        assert!(Rounds::open(&seals, subject("t", same.as_object()), None, Some(&sealed)).is_ok());
    }

    #[test]
    fn a_request_state_can_be_used_once() {
        let (seals, of) = (Seals::new(), subject("t", None));
        let mut first = Rounds::open(&seals, of.clone(), None, None).unwrap();
        ask(&mut first, "a");
        let sealed = state(&mut first, &seals);
        assert!(Rounds::open(&seals, of.clone(), given(&["a"]), Some(&sealed)).is_ok());
        let again = Rounds::open(&seals, of, given(&["a"]), Some(&sealed)).unwrap_err();
        assert!(again.message.contains("used before"), "{again:?}");
    }

    #[test]
    fn an_unrequested_approval_is_ignored() {
        let (seals, of) = (Seals::new(), subject("t", None));
        let mut forged = Rounds::open(&seals, of.clone(), given(&["a"]), None).unwrap();
        assert_eq!(ask(&mut forged, "a"), Heard::Later);
        let told = forged.ask("a", Asks::What, "Which?".to_owned(), form());
        assert!(matches!(told, Heard::Answer(_)), "responses that grant nothing may come early");
        let sealed = state(&mut forged, &seals);
        let mut other = Rounds::open(&seals, of, given(&["a", "b"]), Some(&sealed)).unwrap();
        assert_eq!(ask(&mut other, "b"), Heard::Later);
    }

    #[test]
    fn an_approval_is_valid_for_its_own_message_only() {
        let (seals, of) = (Seals::new(), subject("t", None));
        let mut first = Rounds::open(&seals, of.clone(), None, None).unwrap();
        first.ask("a", Asks::Leave, "Delete one?".to_owned(), form());
        let sealed = state(&mut first, &seals);
        let mut second = Rounds::open(&seals, of, given(&["a"]), Some(&sealed)).unwrap();
        assert_eq!(second.ask("a", Asks::Leave, "Delete all?".to_owned(), form()), Heard::Later);
    }

    #[test]
    fn a_response_that_is_no_object_is_requested_again() {
        let (seals, of) = (Seals::new(), subject("t", None));
        let mut first = Rounds::open(&seals, of.clone(), None, None).unwrap();
        ask(&mut first, "a");
        let sealed = state(&mut first, &seals);
        let nonsense = Some(InputResponses::from([("a".to_owned(), json!(7))]));
        let mut rounds = Rounds::open(&seals, of, nonsense, Some(&sealed)).unwrap();
        assert_eq!(ask(&mut rounds, "a"), Heard::Later);
    }
}
