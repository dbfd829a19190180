//! Conversion of a tool's question into an input request, and of the result into a tool's answer.

use deskhand_engine::{AnswerMethod, ElicitResponse, Question};
use serde_json::{Value, json};

use super::{InputOutcome, InputQuery, sampling};

impl From<&Question> for InputQuery {
    fn from(question: &Question) -> Self {
        let message = question.message.clone();
        match &question.method {
            AnswerMethod::Form(_) => {
                let empty = || json!({ "type": "object", "properties": {} });
                Self::ElicitForm { message, schema: question.schema().unwrap_or_else(empty) }
            }
            AnswerMethod::Url { url } => Self::ElicitUrl { message, url: url.clone() },
            AnswerMethod::Model(talk) => Self::Sampling(Box::new(sampling::params(talk))),
        }
    }
}

/// Converts the outcome of an input request into the answer a tool receives.
pub(super) fn answer(question: &Question, outcome: InputOutcome) -> ElicitResponse {
    let result = match outcome {
        InputOutcome::Answer(result) => result,
        InputOutcome::Unsupported => return ElicitResponse::Unavailable,
        InputOutcome::Deferred => return ElicitResponse::Deferred,
        InputOutcome::NoAnswer => return ElicitResponse::Cancelled,
    };
    let content = match &question.method {
        AnswerMethod::Form(_) => {
            result.get("content").filter(|content| content.is_object()).cloned()
        }
        AnswerMethod::Url { .. } => Some(Value::Object(serde_json::Map::new())),
        AnswerMethod::Model(_) => {
            return sampling::answer_from_result(&result)
                .map_or(ElicitResponse::Cancelled, ElicitResponse::Accepted);
        }
    };
    match result["action"].as_str() {
        Some("accept") => content.map_or(ElicitResponse::Cancelled, ElicitResponse::Accepted),
        Some("decline") => ElicitResponse::Declined,
        Some(_) | None => ElicitResponse::Cancelled,
    }
}

#[cfg(test)]
mod tests {
    use deskhand_engine::{FieldType, FormField};

    use super::*;

    fn confirm() -> Question {
        Question::form(
            "confirm",
            "Really?",
            vec![FormField::new("confirm", "Confirm", FieldType::Boolean(false))],
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
        assert_eq!(
            of(json!({ "action": "accept", "content": yes })),
            ElicitResponse::Accepted(yes)
        );
        assert_eq!(of(json!({ "action": "accept" })), ElicitResponse::Cancelled);
        assert_eq!(of(json!({ "action": "accept", "content": 7 })), ElicitResponse::Cancelled);
        assert_eq!(of(json!({ "action": "decline" })), ElicitResponse::Declined);
        assert_eq!(of(json!({ "action": "cancel" })), ElicitResponse::Cancelled);
        assert_eq!(of(json!({})), ElicitResponse::Cancelled);
        assert_eq!(answer(&confirm(), InputOutcome::Unsupported), ElicitResponse::Unavailable);
        assert_eq!(answer(&confirm(), InputOutcome::Deferred), ElicitResponse::Deferred);
    }
}
