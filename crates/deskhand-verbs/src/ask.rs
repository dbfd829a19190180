//! Questions to the person behind a call, before anything is done. Each is plain data, so that a
//! door can put it in its own way, or answer it from an earlier round of the same call.

use serde_json::{Map, Value, json};

use crate::talk::Talk;

/// Asks the person behind a call.
pub trait Ask: Sync {
    /// Puts a question and waits for the answer.
    fn ask(&self, question: &Question) -> Asked;

    /// Whether there is a model that can be asked.
    fn has_model(&self) -> bool;

    /// Whether the answer to a question came with the call, so that nobody is asked.
    fn knows(&self, key: &str) -> bool;
}

/// What came of a question.
#[derive(Debug, Clone, PartialEq)]
pub enum Asked {
    /// The answer: an object with the fields of the form.
    Given(Value),
    /// The person said no.
    Declined,
    /// The person sent the question away without an answer.
    Cancelled,
    /// There is nobody to ask.
    Nobody,
    /// The call must end now and is made again with the answer.
    Later,
}

/// A door with nobody behind it.
#[derive(Debug, Clone, Copy)]
pub struct Nobody;

impl Ask for Nobody {
    fn ask(&self, _: &Question) -> Asked {
        Asked::Nobody
    }

    fn has_model(&self) -> bool {
        false
    }

    fn knows(&self, _: &str) -> bool {
        false
    }
}

/// One question.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The word it goes by; no call asks two questions with the same.
    pub key: &'static str,
    /// What the person reads.
    pub message: String,
    /// How it is answered.
    pub how: How,
    /// What the answer is good for.
    pub asks: Asks,
}

/// What the answer to a question is good for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asks {
    /// It tells something.
    What,
    /// It lets something be done: nobody's word counts who was not asked.
    Leave,
}

/// How a question is answered.
#[derive(Debug, Clone, PartialEq)]
pub enum How {
    /// By filling in a form.
    Form(Vec<Field>),
    /// On a page of its own.
    Page {
        /// The address of the page.
        url: String,
    },
    /// By the model behind the call; the answer is what it said.
    Model(Box<Talk>),
}

/// One field of a form.
#[derive(Debug, Clone, PartialEq)]
pub struct Field {
    /// The name its answer goes by.
    pub name: &'static str,
    /// What the person reads beside it.
    pub title: &'static str,
    /// What it takes.
    pub takes: Takes,
    /// Whether it must be filled in.
    pub required: bool,
}

/// What a field takes.
#[derive(Debug, Clone, PartialEq)]
pub enum Takes {
    /// Any text.
    Text,
    /// Yes or no, and which of them stands there at first.
    Yes(bool),
    /// A whole number within bounds.
    Whole {
        /// What stands there at first.
        first: i64,
        /// The smallest.
        least: i64,
        /// The largest.
        most: i64,
    },
    /// One of these.
    One(Vec<Choice>),
}

/// One of several answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The answer itself.
    pub answer: String,
    /// What the person reads.
    pub title: String,
}

impl Choice {
    /// An answer and the words for it.
    pub fn new(answer: impl Into<String>, title: impl Into<String>) -> Self {
        Self { answer: answer.into(), title: title.into() }
    }
}

impl Question {
    /// A question answered by a form.
    pub fn form(key: &'static str, message: impl Into<String>, fields: Vec<Field>) -> Self {
        Self { key, message: message.into(), how: How::Form(fields), asks: Asks::What }
    }

    /// The same question, for leave to do something.
    #[must_use]
    pub fn for_leave(self) -> Self {
        Self { asks: Asks::Leave, ..self }
    }

    /// A question answered on a page of its own.
    pub fn page(key: &'static str, message: impl Into<String>, url: impl Into<String>) -> Self {
        Self { key, message: message.into(), how: How::Page { url: url.into() }, asks: Asks::What }
    }

    /// A question the model behind the call answers.
    pub fn model(key: &'static str, talk: Talk) -> Self {
        Self {
            key,
            message: talk.part.to_owned(),
            how: How::Model(Box::new(talk)),
            asks: Asks::What,
        }
    }

    /// The flat schema of the answer; `None` when it is not given by a form.
    pub fn schema(&self) -> Option<Value> {
        let How::Form(fields) = &self.how else { return None };
        let properties: Map<String, Value> =
            fields.iter().map(|field| (field.name.to_owned(), field.schema())).collect();
        let required: Vec<&str> =
            fields.iter().filter(|field| field.required).map(|field| field.name).collect();
        Some(json!({ "type": "object", "properties": properties, "required": required }))
    }
}

impl Field {
    /// A field that must be filled in.
    pub fn new(name: &'static str, title: &'static str, takes: Takes) -> Self {
        Self { name, title, takes, required: true }
    }

    /// The same, but it may be left alone.
    #[must_use]
    pub fn optional(self) -> Self {
        Self { required: false, ..self }
    }

    fn schema(&self) -> Value {
        let title = self.title;
        match &self.takes {
            Takes::Text => json!({ "type": "string", "title": title }),
            Takes::Yes(first) => json!({ "type": "boolean", "title": title, "default": first }),
            Takes::Whole { first, least, most } => json!({
                "type": "integer", "title": title, "default": first,
                "minimum": least, "maximum": most,
            }),
            Takes::One(choices) => {
                let one =
                    |choice: &Choice| json!({ "const": choice.answer, "title": choice.title });
                let all: Vec<Value> = choices.iter().map(one).collect();
                json!({ "type": "string", "title": title, "oneOf": all })
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_form_is_one_flat_object() {
        let which = Takes::One(vec![Choice::new("7", "Editor (pid 7)")]);
        let question = Question::form(
            "app",
            "Which one?",
            vec![
                Field::new("app", "App", which),
                Field::new("again", "Again", Takes::Yes(true)).optional(),
            ],
        );
        assert_eq!(
            question.schema(),
            Some(json!({
                "type": "object",
                "properties": {
                    "app": {
                        "type": "string", "title": "App",
                        "oneOf": [{ "const": "7", "title": "Editor (pid 7)" }],
                    },
                    "again": { "type": "boolean", "title": "Again", "default": true },
                },
                "required": ["app"],
            }))
        );
        assert_eq!(Question::page("login", "Sign in", "https://example.org/").schema(), None);
    }

    #[test]
    fn nobody_answers_at_a_door_without_a_person() {
        assert_eq!(Nobody.ask(&Question::form("x", "?", Vec::new())), Asked::Nobody);
    }
}
