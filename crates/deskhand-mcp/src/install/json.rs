//! Editing of JSON with comments. Everything else in the file stays as it is.

use jsonc_parser::{
    ParseOptions,
    cst::{CstInputValue, CstObject, CstRootNode},
};
use serde_json::Value;

use super::{ENTRY_NAME, Launch, document::EditProblem};

/// The JSON dialect of editors: comments and trailing commas.
const DIALECT: ParseOptions = ParseOptions {
    allow_comments: true,
    allow_trailing_commas: true,
    allow_loose_object_property_names: false,
    allow_missing_commas: false,
    allow_single_quoted_strings: false,
    allow_hexadecimal_numbers: false,
    allow_unary_plus_numbers: false,
    allow_bare_decimal_point_numbers: false,
    allow_non_finite_numbers: false,
    allow_extended_string_escapes: false,
};

fn parse(text: &str) -> Result<CstRootNode, EditProblem> {
    CstRootNode::parse(text, &DIALECT).map_err(|error| EditProblem::Syntax {
        line: error.line_display(),
        column: error.column_display(),
        what: error.kind().to_string(),
    })
}

/// Reads the server's entry.
pub(super) fn get(text: &str, key: &str) -> Result<Option<Launch>, EditProblem> {
    let root = parse(text)?;
    let Some(top) = top(&root)? else { return Ok(None) };
    let Some(servers) = member(&top, key, key)? else { return Ok(None) };
    let path = format!("{key}.{ENTRY_NAME}");
    let Some(entry) = member(&servers, ENTRY_NAME, &path)? else { return Ok(None) };
    launch(&entry)
        .map(Some)
        .ok_or(EditProblem::WrongType { path, expected: "an entry with a command" })
}

fn launch(entry: &CstObject) -> Option<Launch> {
    let value = entry.to_serde_value()?;
    let words = match value.get("args") {
        Some(args) => args.as_array()?.clone(),
        None => Vec::new(),
    };
    let args: Option<Vec<String>> =
        words.iter().map(|word| word.as_str().map(str::to_owned)).collect();
    Some(Launch { command: value.get("command")?.as_str()?.to_owned(), args: args? })
}

/// Returns the text with the server's entry.
pub(super) fn set(
    text: &str,
    key: &str,
    launch: &Launch,
    has_type: bool,
) -> Result<String, EditProblem> {
    let root = parse(text)?;
    let top = match top(&root)? {
        Some(top) => top,
        None => root.object_value_or_set(),
    };
    let servers = match member(&top, key, key)? {
        Some(servers) => servers,
        None => top.object_value_or_set(key),
    };
    let args = launch.args.iter().map(|word| word.as_str().into()).collect();
    let kind = has_type.then(|| ("type", "stdio".into()));
    let fields =
        [("command", launch.command.as_str().into()), ("args", CstInputValue::Array(args))];
    let fields = kind.into_iter().chain(fields);
    match member(&servers, ENTRY_NAME, ENTRY_NAME)? {
        Some(entry) => fields.for_each(|(name, value)| set_field(&entry, name, value)),
        None => {
            let fields = fields.map(|(name, value)| (name.to_owned(), value)).collect();
            servers.append(ENTRY_NAME, CstInputValue::Object(fields));
        }
    }
    let mut after = root.to_string();
    if text.trim().is_empty() && !after.ends_with('\n') {
        after.push('\n');
    }
    Ok(after)
}

/// Sets a field, unless it already has the value.
fn set_field(entry: &CstObject, name: &str, value: CstInputValue) {
    let Some(field) = entry.get(name) else {
        entry.append(name, value);
        return;
    };
    let now = field.value().and_then(|value| value.to_serde_value());
    if now.as_ref() != Some(&to_plain(&value)) {
        field.set_value(value);
    }
}

fn to_plain(value: &CstInputValue) -> Value {
    match value {
        CstInputValue::String(text) => Value::String(text.clone()),
        CstInputValue::Array(all) => Value::Array(all.iter().map(to_plain).collect()),
        CstInputValue::Null
        | CstInputValue::Bool(_)
        | CstInputValue::Number(_)
        | CstInputValue::Object(_) => Value::Null,
    }
}

/// Returns the text without the server's entry.
pub(super) fn remove(text: &str, key: &str) -> Result<String, EditProblem> {
    let root = parse(text)?;
    let servers = top(&root)?.and_then(|top| top.object_value(key));
    if let Some(entry) = servers.and_then(|servers| servers.get(ENTRY_NAME)) {
        entry.remove();
    }
    Ok(root.to_string())
}

/// Returns all other settings. An empty table of servers counts as absent.
pub(super) fn other_settings(text: &str, key: &str) -> Result<Value, EditProblem> {
    let mut value = parse(text)?.to_serde_value().unwrap_or_default();
    if let Some(top) = value.as_object_mut() {
        let servers = top.get_mut(key).and_then(Value::as_object_mut);
        let is_empty = servers.is_some_and(|servers| {
            // Other fields of the entry belong to the user.
            if let Some(entry) = servers.get_mut(ENTRY_NAME).and_then(Value::as_object_mut) {
                entry.retain(|name, _| !["type", "command", "args"].contains(&name.as_str()));
            }
            servers.retain(|name, value| name != ENTRY_NAME || *value != serde_json::json!({}));
            servers.is_empty()
        });
        if is_empty {
            top.shift_remove(key);
        }
    }
    Ok(if value == serde_json::json!({}) { Value::Null } else { value })
}

/// Returns the top-level object, or `None` if the text is empty.
fn top(root: &CstRootNode) -> Result<Option<CstObject>, EditProblem> {
    match root.value() {
        None => Ok(None),
        Some(value) => value.as_object().map(Some).ok_or_else(|| EditProblem::WrongType {
            path: "the file".to_owned(),
            expected: "a JSON object",
        }),
    }
}

/// Returns an object in another one. Refuses duplicate keys, because readers treat them
/// differently.
fn member(of: &CstObject, name: &str, path: &str) -> Result<Option<CstObject>, EditProblem> {
    let named =
        |prop: &jsonc_parser::cst::CstObjectProp| prop.decoded_name().as_deref() == Some(name);
    let mut found = of.properties().into_iter().filter(named);
    let Some(first) = found.next() else { return Ok(None) };
    if found.next().is_some() {
        return Err(EditProblem::Duplicate { path: path.to_owned() });
    }
    let wrong_type = || EditProblem::WrongType { path: path.to_owned(), expected: "a JSON object" };
    first.object_value().map(Some).ok_or_else(wrong_type)
}
