//! The configuration file. The whole file is checked when it is read; errors have a line and a column.

use std::path::Path;

use deskhand_engine::TextPosition;
use deskhand_model::suggest;
use toml_edit::{Document, Item, TableLike, Value};

use super::{
    Error,
    parse::RawValue,
    setting::{AnySetting, SetBy},
    table::{TABLE, UNSUPPORTED},
};
use crate::trusted_file::read_trusted;

/// The minimum similarity (0 to 1) for a known key to be suggested in place of an unknown one.
const MIN_SIMILARITY: f64 = 0.9;

/// Words that mark a key as a secret.
const SECRET_WORDS: [&str; 5] = ["token", "api_key", "apikey", "secret", "password"];

/// The contents of a configuration file.
#[derive(Debug, Default)]
pub struct ConfigFile {
    /// The path shown in messages.
    pub name: String,
    entries: Vec<ConfigEntry>,
    /// Keys that have no effect in Deskhand, with their lines.
    pub unsupported: Vec<(&'static str, usize)>,
}

#[derive(Debug)]
struct ConfigEntry {
    key: &'static str,
    value: Value,
    line: usize,
}

impl ConfigFile {
    /// Reads a file. A missing file is the same as an empty one.
    pub fn read(path: &Path) -> Result<Self, Error> {
        match read_trusted(path)? {
            Some(text) => Self::parse(&text, &path.display().to_string()),
            None => Ok(Self::default()),
        }
    }

    /// Parses the text of a file. `name` is the file's name in messages.
    pub fn parse(text: &str, name: &str) -> Result<Self, Error> {
        let position = |span: Option<std::ops::Range<usize>>| {
            TextPosition::from_byte_offset(text, span.map_or(0, |span| span.start))
        };
        let document = Document::parse(text).map_err(|error| Error::Syntax {
            file: name.to_owned(),
            position: position(error.span()),
            reason: error.message().replace('\n', ", "),
        })?;
        let mut keys = Vec::new();
        collect_keys(document.as_table(), "", &mut keys);
        let mut file = Self { name: name.to_owned(), ..Self::default() };
        for (key, key_span, item) in keys {
            let key_position = position(key_span);
            if let Some(key) = unsupported_keys().find(|unsupported| *unsupported == key) {
                file.unsupported.push((key, key_position.line));
                continue;
            }
            let setting = TABLE.iter().find(|setting| setting.info().key == key);
            let Some(setting) = setting else { return Err(unknown_key(key, name, key_position)) };
            let Item::Value(value) = item else {
                return Err(invalid_value(*setting, "a table", name, position(item.span())));
            };
            check_allowed_in_file(*setting, name, key_position)?;
            if !setting.accepts(RawValue::Toml(value)) {
                let written = value.clone().decorated("", "").to_string();
                return Err(invalid_value(*setting, &written, name, position(value.span())));
            }
            let key = setting.info().key;
            file.entries.push(ConfigEntry { key, value: value.clone(), line: key_position.line });
        }
        Ok(file)
    }

    /// Returns the value of a key and its line.
    pub fn get(&self, key: &str) -> Option<(&Value, usize)> {
        let entry = self.entries.iter().find(|entry| entry.key == key)?;
        Some((&entry.value, entry.line))
    }
}

type FoundKey<'a> = (String, Option<std::ops::Range<usize>>, &'a Item);

/// Collects every key that is not a section. TOML has several forms for one key: `[http] port`,
/// `http.port`, `http = { port = … }`.
fn collect_keys<'a>(table: &'a dyn TableLike, prefix: &str, keys: &mut Vec<FoundKey<'a>>) {
    for (name, item) in table.iter() {
        let key = if prefix.is_empty() { name.to_owned() } else { format!("{prefix}.{name}") };
        let span = table.key(name).and_then(toml_edit::Key::span);
        match item.as_table_like() {
            Some(inner) if is_section(&key) => collect_keys(inner, &key, keys),
            Some(_) | None => keys.push((key, span, item)),
        }
    }
}

fn unsupported_keys() -> impl Iterator<Item = &'static str> {
    UNSUPPORTED.iter().filter_map(|unsupported| unsupported.key)
}

fn is_section(key: &str) -> bool {
    let keys = TABLE.iter().map(|setting| setting.info().key).chain(unsupported_keys());
    keys.filter_map(|known| known.split_once('.')).any(|(section, _)| section == key)
}

fn check_allowed_in_file(
    setting: &dyn AnySetting,
    name: &str,
    position: TextPosition,
) -> Result<(), Error> {
    let info = setting.info();
    let (file, key) = (name.to_owned(), info.key);
    match info.set_by {
        SetBy::Any => Ok(()),
        SetBy::Secret => {
            let (key, variable) = (key.to_owned(), info.variables.first().copied());
            Err(Error::SecretInFile { file, position, key, variable })
        }
        SetBy::Variable => {
            let variable = info.variables.first().copied().unwrap_or_default();
            Err(Error::VariableOnly { file, position, key, variable })
        }
    }
}

fn invalid_value(
    setting: &dyn AnySetting,
    value: &str,
    name: &str,
    position: TextPosition,
) -> Error {
    let info = setting.info();
    let value = value.chars().take(80).collect();
    let (file, key, expects) = (name.to_owned(), info.key, info.expects);
    Error::InvalidFileValue { file, position, key, value, expects }
}

fn unknown_key(key: String, name: &str, position: TextPosition) -> Error {
    let file = name.to_owned();
    let last = key.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    if SECRET_WORDS.iter().any(|word| last.contains(word)) {
        return Error::SecretInFile { file, position, key, variable: None };
    }
    let settings = TABLE.iter().filter(|setting| setting.info().set_by == SetBy::Any);
    let keys = settings.map(|setting| setting.info().key);
    let near = suggest::nearest_by(keys, MIN_SIMILARITY, 1, |known| {
        // A key with the same last part is always more similar than any other key.
        let same_last = known.rsplit('.').next() == Some(last.as_str());
        suggest::similarity(known, &key) + f64::from(u8::from(same_last))
    });
    Error::UnknownKey { file, position, key, similar: near.into_iter().next() }
}
