//! The settings file: read whole, every key and value of it checked, with line and column where
//! something is wrong.

use std::{
    fs::File,
    io::{ErrorKind, Read},
    os::unix::fs::MetadataExt,
    path::Path,
};

use deskhand_engine::Spot;
use toml_edit::{Document, Item, TableLike, Value};

use super::{
    Error,
    raw::Raw,
    setting::{By, Declared},
    table::{TABLE, WITHOUT_EFFECT},
};

/// A file so long is none of ours.
const LONGEST: u64 = 1 << 20;

/// How much two keys must be alike for one to be meant by the other.
const ALIKE: f64 = 0.9;

/// Words in the names of secrets.
const SECRETS: [&str; 5] = ["token", "api_key", "apikey", "secret", "password"];

/// What a file says.
#[derive(Debug, Default)]
pub(crate) struct Sheet {
    /// How it is called.
    pub(crate) name: String,
    lines: Vec<Line>,
    /// Keys in it that set nothing here, with their lines.
    pub(crate) without_effect: Vec<(&'static str, usize)>,
}

#[derive(Debug)]
struct Line {
    key: &'static str,
    value: Value,
    number: usize,
}

impl Sheet {
    /// What a file says; nothing when there is none.
    pub(crate) fn read(path: &Path) -> Result<Self, Error> {
        match text_of(path)? {
            Some(text) => Self::parse(&text, &path.display().to_string()),
            None => Ok(Self::default()),
        }
    }

    /// What a text says.
    pub(crate) fn parse(text: &str, name: &str) -> Result<Self, Error> {
        let at = |span: Option<std::ops::Range<usize>>| {
            Spot::of(text, span.map_or(0, |span| span.start))
        };
        let document = Document::parse(text).map_err(|error| Error::Syntax {
            file: name.to_owned(),
            spot: at(error.span()),
            why: error.message().replace('\n', ", "),
        })?;
        let mut found = Vec::new();
        gather(document.as_table(), "", &mut found);
        let mut sheet = Self { name: name.to_owned(), ..Self::default() };
        for (key, key_at, item) in found {
            let spot = at(key_at);
            if let Some(key) = idle_keys().find(|one| *one == key) {
                sheet.without_effect.push((key, spot.line));
                continue;
            }
            let declared = TABLE.iter().find(|one| one.about().key == key);
            let Some(declared) = declared else { return Err(unknown(key, name, spot)) };
            let Item::Value(value) = item else {
                return Err(wrong(*declared, "a table", name, at(item.span())));
            };
            allowed(*declared, name, spot)?;
            if !declared.takes(Raw::File(value)) {
                let written = value.clone().decorated("", "").to_string();
                return Err(wrong(*declared, &written, name, at(value.span())));
            }
            let key = declared.about().key;
            sheet.lines.push(Line { key, value: value.clone(), number: spot.line });
        }
        Ok(sheet)
    }

    /// The value of a key, and its line.
    pub(crate) fn get(&self, key: &str) -> Option<(&Value, usize)> {
        let line = self.lines.iter().find(|line| line.key == key)?;
        Some((&line.value, line.number))
    }
}

type Found<'a> = (String, Option<std::ops::Range<usize>>, &'a Item);

/// Every key that is no section, however it is written: `[http] port`, `http.port`, `http = { … }`.
fn gather<'a>(table: &'a dyn TableLike, before: &str, found: &mut Vec<Found<'a>>) {
    for (name, item) in table.iter() {
        let key = if before.is_empty() { name.to_owned() } else { format!("{before}.{name}") };
        let span = table.key(name).and_then(toml_edit::Key::span);
        match item.as_table_like() {
            Some(inner) if is_section(&key) => gather(inner, &key, found),
            Some(_) | None => found.push((key, span, item)),
        }
    }
}

fn idle_keys() -> impl Iterator<Item = &'static str> {
    WITHOUT_EFFECT.iter().filter_map(|idle| idle.key)
}

fn is_section(key: &str) -> bool {
    let keys = TABLE.iter().map(|one| one.about().key).chain(idle_keys());
    keys.filter_map(|known| known.split_once('.')).any(|(section, _)| section == key)
}

fn allowed(declared: &dyn Declared, name: &str, spot: Spot) -> Result<(), Error> {
    let about = declared.about();
    let (file, key) = (name.to_owned(), about.key);
    match about.by {
        By::Anything => Ok(()),
        By::Secret => {
            let (key, variable) = (key.to_owned(), about.names.first().copied());
            Err(Error::Secret { file, spot, key, variable })
        }
        By::Variable => {
            let variable = about.names.first().copied().unwrap_or_default();
            Err(Error::Elsewhere { file, spot, key, variable })
        }
    }
}

fn wrong(declared: &dyn Declared, value: &str, name: &str, spot: Spot) -> Error {
    let about = declared.about();
    let value = value.chars().take(80).collect();
    Error::Wrong { file: name.to_owned(), spot, key: about.key, value, takes: about.takes }
}

fn unknown(key: String, name: &str, spot: Spot) -> Error {
    let file = name.to_owned();
    let last = key.rsplit('.').next().unwrap_or_default().to_ascii_lowercase();
    if SECRETS.iter().any(|word| last.contains(word)) {
        return Error::Secret { file, spot, key, variable: None };
    }
    let keys = TABLE.iter().filter(|one| one.about().by == By::Anything);
    let score = |known: &str| strsim::jaro_winkler(known, &key);
    let own = |known: &str| known.rsplit('.').next() == Some(last.as_str());
    let best = keys.map(|one| one.about().key).max_by(|a, b| {
        (own(a), score(a)).partial_cmp(&(own(b), score(b))).unwrap_or(std::cmp::Ordering::Equal)
    });
    let near = best.filter(|known| own(known) || score(known) >= ALIKE);
    Error::Unknown { file, spot, key, near }
}

/// The text of a file nobody but this user and root can change; `None` when there is none. A group
/// may: where each person has a group of their own, files are made so.
pub(crate) fn text_of(path: &Path) -> Result<Option<String>, Error> {
    let name = path.display().to_string();
    let failed =
        |error: std::io::Error| Error::Unreadable { file: name.clone(), why: error.to_string() };
    let file = match File::open(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
        other => other.map_err(failed)?,
    };
    let found = file.metadata().map_err(failed)?;
    let why = if !found.is_file() || found.len() > LONGEST {
        Some("it is no file of settings")
    } else if found.uid() != 0 && found.uid() != rustix::process::geteuid().as_raw() {
        Some("it belongs to somebody else")
    } else if found.mode() & 0o002 != 0 {
        Some("everybody may write to it")
    } else {
        None
    };
    if let Some(why) = why {
        return Err(Error::Unsafe { file: name, why });
    }
    let mut text = String::new();
    file.take(LONGEST).read_to_string(&mut text).map_err(failed)?;
    Ok(Some(text))
}
