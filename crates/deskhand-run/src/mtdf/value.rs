//! Whether a value is what an option takes, and its words on a command line.

use serde_json::{Map, Value, json};

use super::{
    definition::{Parameter, ValueType},
    error::Error,
};

/// Whether its value names files or folders.
pub(super) fn is_path(it: &Parameter) -> bool {
    let of_items = it.items.as_ref().and_then(|items| items.format.as_deref());
    it.format.as_deref() == Some("path") || of_items == Some("path")
}

/// What its elements are, where it is an array.
pub(super) fn item_kind(it: &Parameter) -> ValueType {
    it.items.as_ref().map_or(ValueType::String, |items| items.kind.into())
}

/// Refuses a value that is not what the option takes.
pub(super) fn check(it: &Parameter, value: &Value) -> Result<(), Error> {
    let wrong = |wanted: String| Error::WrongType { name: it.name.clone(), wanted };
    if it.kind != ValueType::Array {
        let sound = fits(value, it.kind);
        return if sound { allowed(it, value) } else { Err(wrong(said(it.kind).to_owned())) };
    }
    let kind = item_kind(it);
    let all = value.as_array().filter(|all| all.iter().all(|one| fits(one, kind)));
    let all = all.ok_or_else(|| wrong(format!("an array, each of it {}", said(kind))))?;
    all.iter().try_for_each(|one| allowed(it, one))
}

/// The words of a value that has been checked; an empty text that need not be given is none.
pub(super) fn words(it: &Parameter, value: &Value) -> Result<Vec<String>, Error> {
    let left_out = value.as_str().is_some_and(str::is_empty) && it.required != Some(true);
    let words: Vec<String> = match value.as_array() {
        Some(all) => all.iter().filter_map(word).collect(),
        None if left_out => Vec::new(),
        None => word(value).into_iter().collect(),
    };
    if words.iter().any(|word| word.contains('\0')) {
        return Err(Error::ZeroByte { name: it.name.clone() });
    }
    Ok(words)
}

/// Its part of an input schema.
pub(super) fn schema(it: &Parameter) -> Value {
    let mut all = Map::new();
    all.insert("type".to_owned(), json!(it.kind.word()));
    if let Some(words) = &it.description {
        all.insert("description".to_owned(), json!(words));
    }
    let choices = it.choices.as_ref().map(|choices| json!(choices));
    if it.kind == ValueType::Array {
        let mut items = Map::new();
        items.insert("type".to_owned(), json!(item_kind(it).word()));
        if let Some(words) = it.items.as_ref().and_then(|items| items.description.as_ref()) {
            items.insert("description".to_owned(), json!(words));
        }
        if is_path(it) {
            items.insert("format".to_owned(), json!("path"));
        }
        items.extend(choices.map(|choices| ("enum".to_owned(), choices)));
        all.insert("items".to_owned(), Value::Object(items));
    } else {
        if is_path(it) {
            all.insert("format".to_owned(), json!("path"));
        }
        all.extend(choices.map(|choices| ("enum".to_owned(), choices)));
    }
    if let Some(default) = &it.default {
        all.insert("default".to_owned(), default.clone());
    }
    Value::Object(all)
}

fn fits(value: &Value, kind: ValueType) -> bool {
    match kind {
        ValueType::String => value.is_string(),
        ValueType::Boolean => value.is_boolean(),
        ValueType::Integer => value.is_i64() || value.is_u64(),
        ValueType::Number => value.is_number(),
        ValueType::Array => value.is_array(),
    }
}

fn allowed(it: &Parameter, value: &Value) -> Result<(), Error> {
    let (Some(choices), Some(text)) = (&it.choices, value.as_str()) else { return Ok(()) };
    let left_out = text.is_empty() && it.required != Some(true);
    if left_out || choices.iter().any(|choice| choice == text) {
        return Ok(());
    }
    Err(Error::NotAChoice {
        name: it.name.clone(),
        value: text.to_owned(),
        choices: choices.clone(),
    })
}

fn word(value: &Value) -> Option<String> {
    match value {
        Value::String(text) => Some(text.clone()),
        Value::Number(number) => Some(number.to_string()),
        Value::Bool(yes) => Some(yes.to_string()),
        Value::Null | Value::Array(_) | Value::Object(_) => None,
    }
}

fn said(kind: ValueType) -> &'static str {
    match kind {
        ValueType::String => "text",
        ValueType::Boolean => "true or false",
        ValueType::Integer => "a whole number",
        ValueType::Number => "a number",
        ValueType::Array => "an array",
    }
}
