//! Redaction of private arguments before they reach the audit log.

use serde_json::{Map, Value, json};

use crate::{PrivateArg, TerminalInput, verbs::input::keys};

/// The placeholder for a redacted value.
const HIDDEN: &str = "[not recorded]";

/// Returns the arguments with private values redacted. For unknown fields only the name is kept,
/// because the value may be private text under a misspelt name.
pub(crate) fn redact(
    private: &[PrivateArg],
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
    private: &[PrivateArg],
    name: &str,
    value: &Value,
    asked: &impl Fn() -> TerminalInput,
) -> Value {
    let of = |one: &&PrivateArg| match one {
        PrivateArg::Text(own) | PrivateArg::Keys(own) | PrivateArg::Typed(own) => *own == name,
    };
    match private.iter().find(of) {
        None => value.clone(),
        Some(PrivateArg::Text(_)) => json!(HIDDEN),
        Some(PrivateArg::Keys(_)) => keys_shown(value),
        Some(PrivateArg::Typed(_)) => match asked() {
            TerminalInput::Secret => json!(HIDDEN),
            TerminalInput::Visible => value.clone(),
        },
    }
}

fn keys_shown(value: &Value) -> Value {
    match value {
        Value::String(text) if keys::types_text(text) => json!(HIDDEN),
        Value::Array(all) => Value::Array(all.iter().map(keys_shown).collect()),
        Value::String(_) | Value::Null | Value::Bool(_) | Value::Number(_) => value.clone(),
        Value::Object(_) => json!(HIDDEN),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn private_arguments_are_redacted_and_others_are_not() {
        let private = [PrivateArg::Text("text"), PrivateArg::Keys("keys")];
        let arguments = json!({ "app": "a", "text": "secret", "keys": ["ctrl+s", "x", "Return"] });
        let known = ["app", "text", "keys"].map(str::to_owned);
        let redacted =
            |arguments: &Value| redact(&private, &known, arguments, || TerminalInput::Secret);
        assert_eq!(
            redacted(&arguments),
            json!({ "app": "a", "text": HIDDEN, "keys": ["ctrl+s", HIDDEN, "Return"] })
        );
        assert_eq!(redacted(&json!({ "text": 7 })), json!({ "text": HIDDEN }));
        assert_eq!(redacted(&json!({ "txt": "secret" })), json!({ "txt": HIDDEN }));
        assert_eq!(redacted(&json!("secret")), json!({}));
    }

    #[test]
    fn terminal_input_is_recorded_unless_the_terminal_expects_a_secret() {
        let private = [PrivateArg::Typed("text")];
        let arguments = json!({ "text": "make" });
        let redacted = |asked| redact(&private, &["text".to_owned()], &arguments, || asked);
        assert_eq!(redacted(TerminalInput::Visible), arguments);
        assert_eq!(redacted(TerminalInput::Secret), json!({ "text": HIDDEN }));
    }
}
