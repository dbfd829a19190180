//! Questions that let the user correct a failed call: which app, which element. The answer replaces
//! the argument that was wrong, and the call runs again.

use deskhand_locate::Error as Unfound;
use deskhand_model::{Delivery, Explain};
use serde_json::Value;

use crate::{Error, Question, ToolEntry, questions};

/// The argument of tools that can ask the client's model.
const EXPLAIN: &str = "explain";

/// A question, and the argument that its answer replaces.
#[derive(Debug)]
pub struct Correction {
    /// The question.
    pub question: Question,
    field: &'static str,
    argument: &'static str,
}

impl Correction {
    /// Returns the question that could correct a failed call, or `None` if there is none.
    pub fn of(error: &Error, entry: &ToolEntry, arguments: &Value) -> Option<Self> {
        let has = |argument: &str| arguments[argument].is_string();
        if error.delivery() != Delivery::NotSent {
            return None;
        }
        if let Error::AmbiguousApp { wanted, matching } = error
            && has("app")
        {
            let question = questions::which_app(wanted, matching);
            return Some(Self { question, field: "app", argument: "app" });
        }
        if let Error::Locate(Unfound::NoMatch { query, .. }) = error
            && has("query")
        {
            let explains = entry.full_input_schema()["properties"][EXPLAIN].is_object();
            let question = if explains {
                questions::which_element_or_inspect(query)
            } else {
                questions::which_element(query)
            };
            return Some(Self { question, field: "description", argument: "query" });
        }
        None
    }

    /// Returns the arguments with the answer applied, or `None` if the answer is empty.
    pub fn applied(&self, answer: &Value, mut arguments: Value) -> Option<Value> {
        let given = answer[self.field].as_str().filter(|text| !text.trim().is_empty())?;
        arguments[self.argument] = Value::from(given);
        if answer["use_visual"] == true {
            arguments[EXPLAIN] = Value::from(true);
        }
        Some(arguments)
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use deskhand_verbs::Instance;

    use crate::{Vocabulary, ax::find::AxFind};

    static FIND: ToolEntry = ToolEntry::builtin::<AxFind>().in_vocabulary(Vocabulary::Ax);

    fn several() -> Error {
        let instance = |pid| Instance { name: "editor".to_owned(), pid };
        Error::AmbiguousApp { wanted: "ed".to_owned(), matching: vec![instance(7), instance(9)] }
    }

    #[test]
    fn the_answer_takes_the_place_of_the_name_that_was_not_clear() {
        let arguments = json!({ "app": "ed", "query": "Save" });
        let remedy = Correction::of(&several(), &FIND, &arguments).unwrap();
        assert_eq!(remedy.question.key, "app");
        let again = remedy.applied(&json!({ "app": "9" }), arguments.clone());
        assert_eq!(again, Some(json!({ "app": "9", "query": "Save" })));
        assert_eq!(remedy.applied(&json!({ "app": " " }), arguments), None);
    }

    #[test]
    fn a_call_that_named_no_app_is_not_asked_for_one() {
        assert!(Correction::of(&several(), &FIND, &json!({})).is_none());
    }

    #[test]
    fn who_is_asked_for_an_element_may_have_a_model_look() {
        let nothing = Error::Locate(Unfound::NoMatch {
            query: "Save".to_owned(),
            scope: "editor".to_owned(),
            near: Vec::new(),
            same_role: Box::default(),
            partial: false,
            unsearched: Box::default(),
            unopened: None,
        });
        let arguments = json!({ "app": "ed", "query": "Save" });
        let remedy = Correction::of(&nothing, &FIND, &arguments).unwrap();
        let answer = json!({ "description": "Store", "use_visual": true });
        let again = remedy.applied(&answer, arguments.clone()).unwrap();
        assert_eq!(again, json!({ "app": "ed", "query": "Store", "explain": true }));
        static CLICK: ToolEntry =
            ToolEntry::builtin::<crate::ax::click::AxClick>().in_vocabulary(Vocabulary::Ax);
        let remedy = Correction::of(&nothing, &CLICK, &arguments).unwrap();
        let fields = remedy.question.schema().unwrap()["properties"].clone();
        assert!(fields.get("use_visual").is_none(), "{fields}");
    }
}
