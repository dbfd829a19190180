//! Checks values of parameters, and converts them to words of a command line.

use serde_json::{Map, Value, json};

use super::{
    definition::{Parameter, ValueType},
    error::Error,
};

/// Returns `true` if the value is a path.
pub(super) fn is_path(parameter: &Parameter) -> bool {
    let of_items = parameter.items.as_ref().and_then(|items| items.format.as_deref());
    parameter.format.as_deref() == Some("path") || of_items == Some("path")
}

/// The type of the elements, if the parameter is an array.
pub(super) fn item_kind(parameter: &Parameter) -> ValueType {
    parameter.items.as_ref().map_or(ValueType::String, |items| items.kind.into())
}

/// Checks that a value has the type of the parameter.
pub(super) fn check(parameter: &Parameter, value: &Value) -> Result<(), Error> {
    let wrong = |wanted: String| Error::WrongType { name: parameter.name.clone(), wanted };
    if parameter.kind != ValueType::Array {
        let is_valid = has_type(value, parameter.kind);
        return if is_valid {
            check_choice(parameter, value)
        } else {
            Err(wrong(type_phrase(parameter.kind).to_owned()))
        };
    }
    let kind = item_kind(parameter);
    let all = value.as_array().filter(|all| all.iter().all(|one| has_type(one, kind)));
    let all = all.ok_or_else(|| wrong(format!("an array, each element {}", type_phrase(kind))))?;
    all.iter().try_for_each(|one| check_choice(parameter, one))
}

/// Converts a checked value to words. An empty optional string gives none.
pub(super) fn to_words(parameter: &Parameter, value: &Value) -> Result<Vec<String>, Error> {
    let omitted = value.as_str().is_some_and(str::is_empty) && parameter.required != Some(true);
    let words: Vec<String> = match value.as_array() {
        Some(all) => all.iter().filter_map(to_word).collect(),
        None if omitted => Vec::new(),
        None => to_word(value).into_iter().collect(),
    };
    if words.iter().any(|word| word.contains('\0')) {
        return Err(Error::ZeroByte { name: parameter.name.clone() });
    }
    Ok(words)
}

/// Returns the JSON schema of the parameter.
pub(super) fn schema(parameter: &Parameter) -> Value {
    let mut all = Map::new();
    all.insert("type".to_owned(), json!(parameter.kind.as_str()));
    if let Some(description) = &parameter.description {
        all.insert("description".to_owned(), json!(description));
    }
    let choices = parameter.choices.as_ref().map(|choices| json!(choices));
    if parameter.kind == ValueType::Array {
        let mut items = Map::new();
        items.insert("type".to_owned(), json!(item_kind(parameter).as_str()));
        if let Some(description) =
            parameter.items.as_ref().and_then(|items| items.description.as_ref())
        {
            items.insert("description".to_owned(), json!(description));
        }
        if is_path(parameter) {
            items.insert("format".to_owned(), json!("path"));
        }
        items.extend(choices.map(|choices| ("enum".to_owned(), choices)));
        all.insert("items".to_owned(), Value::Object(items));
    } else {
        if is_path(parameter) {
            all.insert("format".to_owned(), json!("path"));
        }
        all.extend(choices.map(|choices| ("enum".to_owned(), choices)));
    }
    if let Some(default) = &parameter.default {
        all.insert("default".to_owned(), default.clone());
    }
    Value::Object(all)
}

fn has_type(value: &Value, kind: ValueType) -> bool {
    match kind {
        ValueType::String => value.is_string(),
        ValueType::Boolean => value.is_boolean(),
        ValueType::Integer => value.is_i64() || value.is_u64(),
        ValueType::Number => value.is_number(),
        ValueType::Array => value.is_array(),
    }
}

fn check_choice(parameter: &Parameter, value: &Value) -> Result<(), Error> {
    let (Some(choices), Some(text)) = (&parameter.choices, value.as_str()) else { return Ok(()) };
    let omitted = text.is_empty() && parameter.required != Some(true);
    if omitted || choices.iter().any(|choice| choice == text) {
        return Ok(());
    }
    Err(Error::NotAChoice {
        name: parameter.name.clone(),
        value: text.to_owned(),
        choices: choices.clone(),
    })
}

fn to_word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(yes) => Some(yes.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn type_phrase(kind: ValueType) -> &'static str {
    match kind {
        ValueType::String => "text",
        ValueType::Boolean => "true or false",
        ValueType::Integer => "a whole number",
        ValueType::Number => "a number",
        ValueType::Array => "an array",
    }
}
