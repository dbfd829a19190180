//! Conversion of a tool's question into an input request, and of the result into a tool's answer.

use deskhand_engine::{Asked, How, Question};
use serde_json::{Value, json};

use super::{Heard, Query, sampling};

impl From<&Question> for Query {
    fn from(question: &Question) -> Self {
        let message = question.message.clone();
        match &question.how {
            How::Form(_) => {
                let empty = || json!({ "type": "object", "properties": {} });
                Self::Form { message, schema: question.schema().unwrap_or_else(empty) }
            }
            How::Page { url } => Self::Page { message, url: url.clone() },
            How::Model(talk) => Self::Sample(Box::new(sampling::params(talk))),
        }
    }
}

/// Converts the outcome of an input request into the answer a tool receives.
pub(super) fn asked(question: &Question, heard: Heard) -> Asked {
    let result = match heard {
        Heard::Answer(result) => result,
        Heard::Nobody => return Asked::Nobody,
        Heard::Later => return Asked::Later,
        Heard::Silence => return Asked::Cancelled,
    };
    let given = match &question.how {
        How::Form(_) => result.get("content").filter(|content| content.is_object()).cloned(),
        How::Page { .. } => Some(Value::Object(serde_json::Map::new())),
        How::Model(_) => {
            return sampling::spoken(&result).map_or(Asked::Cancelled, Asked::Given);
        }
    };
    match result["action"].as_str() {
        Some("accept") => given.map_or(Asked::Cancelled, Asked::Given),
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
        let request = Query::from(&confirm()).request().unwrap();
        let value = serde_json::to_value(request).unwrap();
        assert_eq!(value["method"], "elicitation/create");
        assert_eq!(value["params"]["message"], "Really?");
        let schema = &value["params"]["requestedSchema"];
        assert_eq!(schema["properties"]["confirm"]["type"], "boolean");
        assert_eq!(schema["required"], json!(["confirm"]));
    }

    #[test]
    fn only_an_accepted_form_with_content_is_an_answer() {
        let of = |result: Value| asked(&confirm(), Heard::Answer(result));
        let yes = json!({ "confirm": true });
        assert_eq!(of(json!({ "action": "accept", "content": yes })), Asked::Given(yes));
        assert_eq!(of(json!({ "action": "accept" })), Asked::Cancelled);
        assert_eq!(of(json!({ "action": "accept", "content": 7 })), Asked::Cancelled);
        assert_eq!(of(json!({ "action": "decline" })), Asked::Declined);
        assert_eq!(of(json!({ "action": "cancel" })), Asked::Cancelled);
        assert_eq!(of(json!({})), Asked::Cancelled);
        assert_eq!(asked(&confirm(), Heard::Nobody), Asked::Nobody);
        assert_eq!(asked(&confirm(), Heard::Later), Asked::Later);
    }
}
