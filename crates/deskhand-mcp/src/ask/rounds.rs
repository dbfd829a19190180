//! Asking a client of the later era: the call ends with its questions and is made again with the
//! answers. What was answered in earlier rounds travels along, sealed.

use std::{collections::BTreeMap, time::Duration};

use rmcp::model::{
    ErrorData, InputRequest, InputRequests, InputRequiredResult, InputResponses, JsonObject,
    RequestStateCodec, SealOptions,
};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::Heard;

/// How long the state of a round is good for.
const LIFE: Duration = Duration::from_secs(600);

/// The questions of one call, over all its rounds.
#[derive(Debug)]
pub(super) struct Rounds {
    subject: Vec<u8>,
    answers: InputResponses,
    asked: InputRequests,
}

/// What travels along.
#[derive(Debug, Serialize, Deserialize)]
struct Carried {
    answers: InputResponses,
}

/// What a state belongs to: it is no good for another tool or other arguments.
pub(super) fn subject(name: &str, arguments: Option<&JsonObject>) -> Vec<u8> {
    // Sorted, so that a client may write the same arguments in another order.
    let sorted: BTreeMap<&String, &Value> = arguments.into_iter().flatten().collect();
    serde_json::to_vec(&(name, sorted)).unwrap_or_default()
}

impl Rounds {
    /// Takes up a call, with what its client has answered so far.
    pub(super) fn open(
        codec: &RequestStateCodec,
        subject: Vec<u8>,
        given: Option<InputResponses>,
        state: Option<&str>,
    ) -> Result<Self, ErrorData> {
        let mut answers = match state {
            None => InputResponses::new(),
            Some(sealed) => {
                let carried: Carried = codec.open_json_with(sealed, &subject).map_err(|error| {
                    let why = format!("requestState: not as it was given out: {error}");
                    ErrorData::invalid_params(why, None)
                })?;
                carried.answers
            }
        };
        answers.extend(given.into_iter().flatten().filter(|(_, answer)| answer.is_object()));
        Ok(Self { subject, answers, asked: InputRequests::new() })
    }

    /// Answers a question from an earlier round, or notes it for the next.
    pub(super) fn ask(&mut self, key: &str, request: InputRequest) -> Heard {
        if let Some(answer) = self.answers.get(key) {
            return Heard::Answer(answer.clone());
        }
        self.asked.insert(key.to_owned(), request);
        Heard::Later
    }

    /// What the client must answer, where something was asked.
    pub(super) fn required(
        &mut self,
        codec: &RequestStateCodec,
    ) -> Result<Option<InputRequiredResult>, ErrorData> {
        if self.asked.is_empty() {
            return Ok(None);
        }
        let carried = Carried { answers: self.answers.clone() };
        let options = SealOptions::new().associated_data(&self.subject).ttl(LIFE);
        let sealed = codec
            .seal_json_with(&carried, &options)
            .map_err(|error| ErrorData::internal_error(error.to_string(), None))?;
        Ok(Some(InputRequiredResult::new(Some(std::mem::take(&mut self.asked)), Some(sealed))))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::ask::Query;

    fn codec() -> RequestStateCodec {
        RequestStateCodec::new_unchecked([7; 32])
    }

    fn form() -> InputRequest {
        let schema = json!({ "type": "object", "properties": { "x": { "type": "string" } } });
        Query::Form { message: "?".to_owned(), schema }.request().unwrap()
    }

    fn given(key: &str) -> Option<InputResponses> {
        Some(InputResponses::from([(key.to_owned(), json!({ "action": "accept" }))]))
    }

    #[test]
    fn answers_of_earlier_rounds_travel_along() {
        let of = subject("t", None);
        let mut first = Rounds::open(&codec(), of.clone(), None, None).unwrap();
        assert_eq!(first.ask("a", form()), Heard::Later);
        let state = first.required(&codec()).unwrap().unwrap().request_state.unwrap();
        let mut second = Rounds::open(&codec(), of.clone(), given("a"), Some(&state)).unwrap();
        assert!(matches!(second.ask("a", form()), Heard::Answer(_)));
        assert_eq!(second.ask("b", form()), Heard::Later);
        let state = second.required(&codec()).unwrap().unwrap().request_state.unwrap();
        let mut third = Rounds::open(&codec(), of, given("b"), Some(&state)).unwrap();
        assert!(matches!(third.ask("a", form()), Heard::Answer(_)));
        assert!(matches!(third.ask("b", form()), Heard::Answer(_)));
        assert!(third.required(&codec()).unwrap().is_none());
    }

    #[test]
    fn a_state_of_another_call_or_a_changed_one_is_refused() {
        let arguments = json!({ "b": 1, "a": 2 });
        let of = subject("t", arguments.as_object());
        let mut rounds = Rounds::open(&codec(), of.clone(), None, None).unwrap();
        rounds.ask("a", form());
        let state = rounds.required(&codec()).unwrap().unwrap().request_state.unwrap();
        let same = json!({ "a": 2, "b": 1 });
        assert!(Rounds::open(&codec(), subject("t", same.as_object()), None, Some(&state)).is_ok());
        for (subject, state) in [
            (subject("other", arguments.as_object()), state.clone()),
            (subject("t", None), state.clone()),
            (of, format!("{state}x")),
        ] {
            let refused = Rounds::open(&codec(), subject, None, Some(&state)).unwrap_err();
            assert_eq!(refused.code.0, -32602);
        }
    }

    #[test]
    fn an_answer_that_is_no_object_is_asked_for_again() {
        let nonsense = Some(InputResponses::from([("a".to_owned(), json!(7))]));
        let mut rounds = Rounds::open(&codec(), subject("t", None), nonsense, None).unwrap();
        assert_eq!(rounds.ask("a", form()), Heard::Later);
    }
}
