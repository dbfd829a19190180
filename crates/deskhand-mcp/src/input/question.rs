//! Conversion of a tool's question into an input request, and of the result into a tool's answer.

use deskhand_engine::{Asked, How, Question};
use serde_json::{Value, json};

use super::{InputOutcome, InputQuery, sampling};

impl From<&Question> for InputQuery {
    fn from(question: &Question) -> Self {
        let message = question.message.clone();
        match &question.how {
            How::Form(_) => {
                let empty = || json!({ "type": "object", "properties": {} });
                Self::ElicitForm { message, schema: question.schema().unwrap_or_else(empty) }
            }
            How::Page { url } => Self::ElicitUrl { message, url: url.clone() },
            How::Model(talk) => Self::Sampling(Box::new(sampling::params(talk))),
        }
    }
}

/// Converts the outcome of an input request into the answer a tool receives.
pub(super) fn answer(question: &Question, outcome: InputOutcome) -> Asked {
    let result = match outcome {
        InputOutcome::Answer(result) => result,
        InputOutcome::Unsupported => return Asked::Nobody,
        InputOutcome::Deferred => return Asked::Later,
        InputOutcome::NoAnswer => return Asked::Cancelled,
    };
    let content = match &question.how {
        How::Form(_) => result.get("content").filter(|content| content.is_object()).cloned(),
        How::Page { .. } => Some(Value::Object(serde_json::Map::new())),
        How::Model(_) => {
            return sampling::answer_from_result(&result).map_or(Asked::Cancelled, Asked::Given);
        }
    };
    match result["action"].as_str() {
        Some("accept") => content.map_or(Asked::Cancelled, Asked::Given),
        Some("decline") => Asked::Declined,
        Some(_) | None => Asked::Cancelled,
    }
}

#[cfg(test)]
mod tests {
    use deskhand_engine::{Field, Takes};

    use super::*;

    fn confirm() -> Question {
        Question::form(
            "confirm",
            "Really?",
            vec![Field::new("confirm", "Confirm", Takes::Yes(false))],
        )
    }

    #[test]
    fn a_form_becomes_an_elicitation_request() {
        let request = InputQuery::from(&confirm()).into_request().unwrap();
        let value = serde_json::to_value(request).unwrap();
        assert_eq!(value["method"], "elicitation/create");
        assert_eq!(value["params"]["message"], "Really?");
        let schema = &value["params"]["requestedSchema"];
        assert_eq!(schema["properties"]["confirm"]["type"], "boolean");
        assert_eq!(schema["required"], json!(["confirm"]));
    }

    #[test]
    fn only_an_accepted_form_with_content_is_an_answer() {
        let of = |result: Value| answer(&confirm(), InputOutcome::Answer(result));
        let yes = json!({ "confirm": true });
        assert_eq!(of(json!({ "action": "accept", "content": yes })), Asked::Given(yes));
        assert_eq!(of(json!({ "action": "accept" })), Asked::Cancelled);
        assert_eq!(of(json!({ "action": "accept", "content": 7 })), Asked::Cancelled);
        assert_eq!(of(json!({ "action": "decline" })), Asked::Declined);
        assert_eq!(of(json!({ "action": "cancel" })), Asked::Cancelled);
        assert_eq!(of(json!({})), Asked::Cancelled);
        assert_eq!(answer(&confirm(), InputOutcome::Unsupported), Asked::Nobody);
        assert_eq!(answer(&confirm(), InputOutcome::Deferred), Asked::Later);
    }
}
