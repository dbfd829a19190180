//! Editing of TOML. Everything else in the file stays as it is.

use serde_json::{Map, Value as Json};
use similar::{ChangeTag, TextDiff};
use toml_edit::{Array, DocumentMut, InlineTable, Item, Table, TableLike, Value};

use super::{ENTRY_NAME, Launch, document::EditProblem};

fn parse(text: &str) -> Result<DocumentMut, EditProblem> {
    text.parse().map_err(|error: toml_edit::TomlError| {
        let at = error.span().map_or(0, |span| span.start).min(text.len());
        let before = text.get(..at).unwrap_or_default();
        let line_start = before.rfind('\n').map_or(0, |at| at + 1);
        EditProblem::Syntax {
            line: before.matches('\n').count() + 1,
            column: before[line_start..].chars().count() + 1,
            what: error.message().to_owned(),
        }
    })
}

/// Reads the server's entry.
pub(super) fn get(text: &str, key: &str) -> Result<Option<Launch>, EditProblem> {
    let document = parse(text)?;
    let Some(servers) = member(document.as_table(), key, key)? else { return Ok(None) };
    let path = format!("{key}.{ENTRY_NAME}");
    let Some(entry) = member(servers, ENTRY_NAME, &path)? else { return Ok(None) };
    launch(entry)
        .map(Some)
        .ok_or(EditProblem::WrongType { path, expected: "an entry with a command" })
}

fn launch(entry: &dyn TableLike) -> Option<Launch> {
    let args = match entry.get("args") {
        Some(args) => {
            args.as_array()?.iter().map(|word| word.as_str().map(str::to_owned)).collect()
        }
        None => Some(Vec::new()),
    };
    Some(Launch { command: entry.get("command")?.as_str()?.to_owned(), args: args? })
}

/// Returns the text with the server's entry.
pub(super) fn set(text: &str, key: &str, launch: &Launch) -> Result<String, EditProblem> {
    edited(text, |document| {
        let is_there = member(document.as_table(), key, key)?.is_some();
        if !is_there {
            let mut servers = Table::new();
            // No header for the parent table: every server has its own.
            servers.set_implicit(true);
            document.insert(key, Item::Table(servers));
        }
        let wrong_type = || EditProblem::WrongType { path: key.to_owned(), expected: "a table" };
        let in_line = document[key].is_inline_table();
        let servers = document[key].as_table_like_mut().ok_or_else(wrong_type)?;
        if !servers.contains_key(ENTRY_NAME) {
            let entry = if in_line {
                Item::Value(Value::InlineTable(InlineTable::new()))
            } else {
                Item::Table(Table::new())
            };
            servers.insert(ENTRY_NAME, entry);
        }
        let entry =
            servers.get_mut(ENTRY_NAME).and_then(Item::as_table_like_mut).ok_or_else(wrong_type)?;
        set_field(entry, "command", launch.command.as_str().into());
        let args: Array = launch.args.iter().map(String::as_str).collect();
        set_field(entry, "args", Value::Array(args));
        Ok(())
    })
}

/// Sets a field, unless it already has the value.
fn set_field(entry: &mut dyn TableLike, name: &str, mut value: Value) {
    let Some(now) = entry.get_mut(name).and_then(Item::as_value_mut) else {
        entry.insert(name, Item::Value(value));
        return;
    };
    if to_plain_value(now) != to_plain_value(&value) {
        *value.decor_mut() = now.decor().clone();
        *now = value;
    }
}

/// Returns the text without the server's entry.
pub(super) fn remove(text: &str, key: &str) -> Result<String, EditProblem> {
    edited(text, |document| {
        let servers = document.get_mut(key).and_then(Item::as_table_like_mut);
        if let Some(servers) = servers {
            servers.remove(ENTRY_NAME);
        }
        Ok(())
    })
}

/// Returns all other settings. An empty table of servers counts as absent.
pub(super) fn other_settings(text: &str, key: &str) -> Result<Json, EditProblem> {
    let document = parse(text)?;
    let mut value = to_plain_table(document.as_table());
    let servers = value.get_mut(key).and_then(Json::as_object_mut);
    let is_empty = servers.is_some_and(|servers| {
        // Other fields of the entry belong to the user.
        if let Some(entry) = servers.get_mut(ENTRY_NAME).and_then(Json::as_object_mut) {
            entry.retain(|name, _| !["command", "args"].contains(&name.as_str()));
        }
        servers.retain(|name, value| name != ENTRY_NAME || *value != serde_json::json!({}));
        servers.is_empty()
    });
    if let Some(top) = value.as_object_mut().filter(|_| is_empty) {
        top.shift_remove(key);
    }
    Ok(value)
}

fn member<'a>(
    of: &'a dyn TableLike,
    name: &str,
    path: &str,
) -> Result<Option<&'a dyn TableLike>, EditProblem> {
    let Some(item) = of.get(name) else { return Ok(None) };
    let wrong_type = || EditProblem::WrongType { path: path.to_owned(), expected: "a table" };
    item.as_table_like().map(Some).ok_or_else(wrong_type)
}

/// Edits a text. `toml_edit` writes LF line endings, so the endings of unchanged lines are
/// restored.
fn edited(
    text: &str,
    edit: impl FnOnce(&mut DocumentMut) -> Result<(), EditProblem>,
) -> Result<String, EditProblem> {
    let unix = text.replace("\r\n", "\n");
    let mut document = parse(&unix)?;
    edit(&mut document)?;
    let after = document.to_string();
    let with_return = text.matches("\r\n").count();
    if with_return == 0 {
        return Ok(after);
    }
    let end = if with_return * 2 >= text.matches('\n').count() { "\r\n" } else { "\n" };
    let mut lines = text.split_inclusive('\n');
    let mut out = String::new();
    for change in TextDiff::from_lines(&unix, &after).iter_all_changes() {
        match change.tag() {
            ChangeTag::Equal => out.push_str(lines.next().unwrap_or_default()),
            ChangeTag::Delete => drop(lines.next()),
            ChangeTag::Insert => out.push_str(&change.value().replace('\n', end)),
        }
    }
    Ok(out)
}

fn to_plain(item: &Item) -> Json {
    match item {
        Item::None => Json::Null,
        Item::Value(value) => to_plain_value(value),
        Item::Table(table) => to_plain_table(table),
        Item::ArrayOfTables(all) => all.iter().map(|table| to_plain_table(table)).collect(),
    }
}

fn to_plain_table(table: &dyn TableLike) -> Json {
    let fields = table.iter().map(|(name, item)| (name.to_owned(), to_plain(item)));
    Json::Object(fields.collect::<Map<_, _>>())
}

fn to_plain_value(value: &Value) -> Json {
    match value {
        Value::String(text) => text.value().as_str().into(),
        Value::Integer(number) => (*number.value()).into(),
        Value::Boolean(truth) => (*truth.value()).into(),
        // Not every float is valid in JSON.
        Value::Float(number) => format!("{:?}", number.value()).into(),
        Value::Datetime(time) => time.value().to_string().into(),
        Value::Array(all) => all.iter().map(to_plain_value).collect(),
        Value::InlineTable(table) => to_plain_table(table),
    }
}
