//! What a person can put right when a call failed before it did anything: which app, which element.
//! The answer takes the place of what was wrong in the arguments, and the call can run again.

use deskhand_locate::Error as Unfound;
use deskhand_model::{Delivery, Explain};
use serde_json::Value;

use crate::{Error, Question, questions};

/// A question, and which of the arguments its answer replaces.
#[derive(Debug)]
pub struct Remedy {
    /// The question.
    pub question: Question,
    field: &'static str,
    argument: &'static str,
}

impl Remedy {
    /// What could help a call that failed; `None` when nobody can.
    pub fn of(error: &Error, arguments: &Value) -> Option<Self> {
        let has = |argument: &str| arguments[argument].is_string();
        if error.delivery() != Delivery::NotSent {
            return None;
        }
        if let Error::SeveralApps { wanted, matching } = error
            && has("app")
        {
            let question = questions::which_app(wanted, matching);
            return Some(Self { question, field: "app", argument: "app" });
        }
        if let Error::Locate(Unfound::NoMatch { query, .. }) = error
            && has("query")
        {
            let question = questions::which_element(query);
            return Some(Self { question, field: "description", argument: "query" });
        }
        None
    }

    /// The arguments with the answer in them; `None` when the answer has no use.
    pub fn applied(&self, answer: &Value, mut arguments: Value) -> Option<Value> {
        let given = answer[self.field].as_str().filter(|text| !text.trim().is_empty())?;
        arguments[self.argument] = Value::from(given);
        Some(arguments)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::Instance;

    fn several() -> Error {
        let instance = |pid| Instance { name: "editor".to_owned(), pid };
        Error::SeveralApps { wanted: "ed".to_owned(), matching: vec![instance(7), instance(9)] }
    }

    #[test]
    fn the_answer_takes_the_place_of_the_name_that_was_not_clear() {
        let arguments = json!({ "app": "ed", "query": "Save" });
        let remedy = Remedy::of(&several(), &arguments).unwrap();
        assert_eq!(remedy.question.key, "app");
        let again = remedy.applied(&json!({ "app": "9" }), arguments.clone());
        assert_eq!(again, Some(json!({ "app": "9", "query": "Save" })));
        assert_eq!(remedy.applied(&json!({ "app": " " }), arguments), None);
    }

    #[test]
    fn a_call_that_named_no_app_is_not_asked_for_one() {
        assert!(Remedy::of(&several(), &json!({})).is_none());
    }
}
