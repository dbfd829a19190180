//! Redaction of private arguments before they reach the audit log.

use serde_json::{Map, Value, json};

use crate::{Private, TerminalInput, verbs::keys};

/// The placeholder for a redacted value.
const HIDDEN: &str = "[not recorded]";

/// Returns the arguments with private values redacted. For unknown fields only the name is kept,
/// because the value may be private text under a misspelt name.
pub(crate) fn told(
    private: &[Private],
    known: &[String],
    arguments: &Value,
    asked: impl Fn() -> TerminalInput,
) -> Value {
    let Value::Object(fields) = arguments else { return json!({}) };
    let one = |(name, value): (&String, &Value)| {
        let value =
            if known.contains(name) { shown(private, name, value, &asked) } else { json!(HIDDEN) };
        (name.clone(), value)
    };
    Value::Object(fields.iter().map(one).collect::<Map<String, Value>>())
}

fn shown(
    private: &[Private],
    name: &str,
    value: &Value,
    asked: &impl Fn() -> TerminalInput,
) -> Value {
    let of = |one: &&Private| match one {
        Private::Text(own) | Private::Keys(own) | Private::Typed(own) => *own == name,
    };
    match private.iter().find(of) {
        None => value.clone(),
        Some(Private::Text(_)) => json!(HIDDEN),
        Some(Private::Keys(_)) => keys_shown(value),
        Some(Private::Typed(_)) => match asked() {
            TerminalInput::Secret => json!(HIDDEN),
            TerminalInput::Visible => value.clone(),
        },
    }
}

fn keys_shown(value: &Value) -> Value {
    match value {
        Value::String(text) if keys::writes(text) => json!(HIDDEN),
        Value::Array(all) => Value::Array(all.iter().map(keys_shown).collect()),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        Value::Object(_) => json!(HIDDEN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_typed_is_not_shown_and_the_rest_is() {
        let private = [Private::Text("text"), Private::Keys("keys")];
        let arguments = json!({ "app": "a", "text": "secret", "keys": ["ctrl+s", "x", "Return"] });
        let known = ["app", "text", "keys"].map(str::to_owned);
        let told = |arguments: &Value| told(&private, &known, arguments, || TerminalInput::Secret);
        assert_eq!(
            told(&arguments),
            json!({ "app": "a", "text": HIDDEN, "keys": ["ctrl+s", HIDDEN, "Return"] })
        );
        assert_eq!(told(&json!({ "text": 7 })), json!({ "text": HIDDEN }));
        assert_eq!(told(&json!({ "txt": "secret" })), json!({ "txt": HIDDEN }));
        assert_eq!(told(&json!("secret")), json!({}));
    }

    #[test]
    fn a_line_typed_into_a_terminal_is_shown_unless_a_secret_is_asked_for() {
        let private = [Private::Typed("text")];
        let arguments = json!({ "text": "make" });
        let told = |asked| told(&private, &["text".to_owned()], &arguments, || asked);
        assert_eq!(told(TerminalInput::Visible), arguments);
        assert_eq!(told(TerminalInput::Secret), json!({ "text": HIDDEN }));
    }
}
