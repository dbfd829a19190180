//! Questions to the user or to the client's model, asked before anything is sent to the desktop.
//!
//! A question is plain data, so that each origin can present it in its own way, or answer it from an
//! earlier round of the same call. The terms follow MCP elicitation and sampling.

pub mod questions;
pub mod sampling;

use serde_json::{Map, Value, json};

use self::sampling::SamplingRequest;

/// Asks the user or the model behind a call.
pub trait Elicitor: Sync {
    /// Asks a question and waits for the response.
    fn elicit(&self, question: &Question) -> ElicitResponse;

    /// Returns `true` if the client has a model that can be asked.
    fn has_model(&self) -> bool;

    /// Returns `true` if the answer to the question with this key came with the call.
    fn has_answer(&self, key: &str) -> bool;
}

/// The response to a question.
#[derive(Debug, Clone, PartialEq)]
pub enum ElicitResponse {
    /// The answer: an object with the fields of the form.
    Accepted(Value),
    /// The user declined.
    Declined,
    /// The user dismissed the question without an answer.
    Cancelled,
    /// No user or model can be asked.
    Unavailable,
    /// The call must end now. The client repeats it with the answer.
    Deferred,
}

/// An elicitor that cannot ask anyone.
#[derive(Debug, Clone, Copy)]
pub struct NoElicitor;

impl Elicitor for NoElicitor {
    fn elicit(&self, _: &Question) -> ElicitResponse {
        ElicitResponse::Unavailable
    }

    fn has_model(&self) -> bool {
        false
    }

    fn has_answer(&self, _: &str) -> bool {
        false
    }
}

/// A question to the user or to the client's model.
#[derive(Debug, Clone, PartialEq)]
pub struct Question {
    /// The key of the question, unique within a call.
    pub key: &'static str,
    /// The text that the user reads.
    pub message: String,
    /// The way to answer the question.
    pub method: AnswerMethod,
    /// The purpose of the answer.
    pub purpose: QuestionPurpose,
}

/// The purpose of the answer to a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuestionPurpose {
    /// The answer provides information.
    Information,
    /// The answer permits an action, so only an answer to this very question counts.
    Consent,
}

/// The way to answer a question.
#[derive(Debug, Clone, PartialEq)]
pub enum AnswerMethod {
    /// The user fills in a form.
    Form(Vec<FormField>),
    /// The user opens a web page.
    Url {
        /// The address of the page.
        url: String,
    },
    /// The client's model replies.
    Model(Box<SamplingRequest>),
}

/// A field of a form.
#[derive(Debug, Clone, PartialEq)]
pub struct FormField {
    /// The name of the field in the answer.
    pub name: &'static str,
    /// The label that the user reads.
    pub title: &'static str,
    /// The type of the value.
    pub field_type: FieldType,
    /// `true` if the field must be filled in.
    pub required: bool,
}

/// The type of a form field.
#[derive(Debug, Clone, PartialEq)]
pub enum FieldType {
    /// Any text.
    Text,
    /// Yes or no, with the default.
    Boolean(bool),
    /// An integer within bounds.
    Integer {
        /// The default.
        default: i64,
        /// The smallest value.
        min: i64,
        /// The largest value.
        max: i64,
    },
    /// One of several choices.
    OneOf(Vec<Choice>),
}

/// A choice of a form field.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Choice {
    /// The value in the answer.
    pub value: String,
    /// The label that the user reads.
    pub title: String,
}

impl Choice {
    /// Creates a choice.
    pub fn new(value: impl Into<String>, title: impl Into<String>) -> Self {
        Self { value: value.into(), title: title.into() }
    }
}

impl Question {
    /// Creates a question that the user answers with a form.
    pub fn form(key: &'static str, message: impl Into<String>, fields: Vec<FormField>) -> Self {
        Self::new(key, message, AnswerMethod::Form(fields))
    }

    /// Creates a question that the user answers on a web page.
    pub fn url(key: &'static str, message: impl Into<String>, url: impl Into<String>) -> Self {
        Self::new(key, message, AnswerMethod::Url { url: url.into() })
    }

    /// Creates a question that the client's model answers.
    pub fn model(key: &'static str, request: SamplingRequest) -> Self {
        Self::new(key, request.system_prompt, AnswerMethod::Model(Box::new(request)))
    }

    fn new(key: &'static str, message: impl Into<String>, method: AnswerMethod) -> Self {
        Self { key, message: message.into(), method, purpose: QuestionPurpose::Information }
    }

    /// Changes the purpose of the question to consent.
    #[must_use]
    pub fn for_consent(self) -> Self {
        Self { purpose: QuestionPurpose::Consent, ..self }
    }

    /// Returns the flat JSON schema of the answer; `None` if the question has no form.
    pub fn schema(&self) -> Option<Value> {
        let AnswerMethod::Form(fields) = &self.method else { return None };
        let properties: Map<String, Value> =
            fields.iter().map(|field| (field.name.to_owned(), field.schema())).collect();
        let required: Vec<&str> =
            fields.iter().filter(|field| field.required).map(|field| field.name).collect();
        Some(json!({ "type": "object", "properties": properties, "required": required }))
    }
}

impl FormField {
    /// Creates a required field.
    pub fn new(name: &'static str, title: &'static str, field_type: FieldType) -> Self {
        Self { name, title, field_type, required: true }
    }

    /// Makes the field optional.
    #[must_use]
    pub fn optional(self) -> Self {
        Self { required: false, ..self }
    }

    fn schema(&self) -> Value {
        let title = self.title;
        match &self.field_type {
            FieldType::Text => json!({ "type": "string", "title": title }),
            FieldType::Boolean(default) => {
                json!({ "type": "boolean", "title": title, "default": default })
            }
            FieldType::Integer { default, min, max } => json!({
                "type": "integer", "title": title, "default": default,
                "minimum": min, "maximum": max,
            }),
            FieldType::OneOf(choices) => {
                let one = |choice: &Choice| json!({ "const": choice.value, "title": choice.title });
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
    fn the_schema_of_a_form_is_one_flat_object() {
        let which = FieldType::OneOf(vec![Choice::new("7", "Editor (pid 7)")]);
        let question = Question::form(
            "app",
            "Which one?",
            vec![
                FormField::new("app", "App", which),
                FormField::new("again", "Again", FieldType::Boolean(true)).optional(),
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
        assert_eq!(Question::url("login", "Sign in", "https://example.org/").schema(), None);
    }

    #[test]
    fn no_elicitor_never_answers() {
        let question = Question::form("x", "?", Vec::new());
        assert_eq!(NoElicitor.elicit(&question), ElicitResponse::Unavailable);
    }
}
