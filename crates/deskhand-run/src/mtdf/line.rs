//! From arguments to the words of a command line. No shell reads them, so nothing needs quotes; what
//! must not happen is that a value is taken for an option.

use std::path::Path;

use serde_json::{Map, Value};

use super::{
    attachment::Attachment,
    definition::{Parameter, ValueType},
    error::Error,
    meta,
    nearest::nearest,
    scope::Scope,
    value,
};

/// A command and what it takes.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Line {
    /// The tool it belongs to, for messages.
    pub(super) tool: String,
    /// The program, and the words that always follow it.
    pub(super) words: Vec<String>,
    pub(super) options: Vec<Parameter>,
    pub(super) positionals: Vec<Parameter>,
    pub(super) order: Order,
}

/// Where positional arguments stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Order {
    /// After the options.
    Last,
    /// After the options and `--`.
    AfterDashes,
    /// Before the options.
    First,
}

/// The words after the program, and the files they name.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Words {
    pub(super) all: Vec<String>,
    pub(super) files: Vec<Attachment>,
}

impl Line {
    /// Refuses arguments that are not what the command takes; looks at no file.
    pub(super) fn check(&self, arguments: &Map<String, Value>) -> Result<(), Error> {
        let known = || self.options.iter().chain(&self.positionals);
        for (name, given) in arguments {
            if meta::NAMES.contains(&name.as_str()) {
                continue;
            }
            match known().find(|one| one.name == *name) {
                Some(_) if given.is_null() => {}
                Some(one) => value::check(one, given)?,
                None => return Err(self.unknown(name)),
            }
        }
        let missing = known().find(|one| {
            one.required == Some(true)
                && one.default.is_none()
                && arguments.get(&one.name).is_none_or(Value::is_null)
        });
        match missing {
            Some(one) => Err(Error::Missing { tool: self.tool.clone(), name: one.name.clone() }),
            None => Ok(()),
        }
    }

    /// The words after the program.
    pub(super) fn build(
        &self,
        arguments: &Map<String, Value>,
        scope: &Scope,
        folder: &Path,
    ) -> Result<Words, Error> {
        self.check(arguments)?;
        let mut options = Words::default();
        for one in &self.options {
            self.option(one, arguments, scope, folder, &mut options)?;
        }
        let mut positionals = Words::default();
        for one in &self.positionals {
            self.positional(one, arguments, scope, folder, &mut positionals)?;
        }
        let dashes = Words { all: vec!["--".to_owned()], files: Vec::new() };
        let fixed = Words { all: self.words.iter().skip(1).cloned().collect(), files: Vec::new() };
        let parts = match self.order {
            Order::First => vec![fixed, positionals, options],
            Order::AfterDashes if !positionals.all.is_empty() => {
                vec![fixed, options, dashes, positionals]
            }
            Order::AfterDashes | Order::Last => vec![fixed, options, positionals],
        };
        Ok(parts.into_iter().fold(Words::default(), |mut whole, part| {
            whole.all.extend(part.all);
            whole.files.extend(part.files);
            whole
        }))
    }

    fn unknown(&self, name: &str) -> Error {
        let every = || self.options.iter().chain(&self.positionals);
        let by_alias = every().find(|one| one.alias.as_deref() == Some(name));
        let known: Vec<String> = every().map(|one| one.name.clone()).collect();
        let names = known.iter().map(String::as_str).chain(meta::NAMES.iter().copied());
        let near = by_alias.map(|one| one.name.clone());
        let near = near.or_else(|| nearest(name, names).map(str::to_owned));
        Error::Unknown { tool: self.tool.clone(), name: name.to_owned(), near, known }
    }

    fn option(
        &self,
        it: &Parameter,
        arguments: &Map<String, Value>,
        scope: &Scope,
        folder: &Path,
        words: &mut Words,
    ) -> Result<(), Error> {
        let Some(given) = given(it, arguments) else { return Ok(()) };
        let flag = flag(it);
        if it.kind == ValueType::Boolean {
            words.all.extend(given.as_bool().filter(|yes| *yes).map(|_| flag));
            return Ok(());
        }
        for word in value::words(it, given)? {
            if it.file_arg == Some(true) {
                let path = attach(it, &word, scope, words)?;
                words.all.push(it.file_flag.clone().unwrap_or_else(|| flag.clone()));
                words.all.push(path);
                continue;
            }
            let word = inside(it, word, scope, folder)?;
            words.all.extend(joined(it, &flag, word)?);
        }
        Ok(())
    }

    fn positional(
        &self,
        it: &Parameter,
        arguments: &Map<String, Value>,
        scope: &Scope,
        folder: &Path,
        words: &mut Words,
    ) -> Result<(), Error> {
        let Some(given) = given(it, arguments) else { return Ok(()) };
        for word in value::words(it, given)? {
            if it.file_arg == Some(true) {
                let path = attach(it, &word, scope, words)?;
                words.all.extend(it.file_flag.clone());
                words.all.push(path);
                continue;
            }
            let word = inside(it, word, scope, folder)?;
            if word.starts_with('-') && self.order != Order::AfterDashes {
                return Err(Error::LooksLikeOption { name: it.name.clone(), value: word });
            }
            words.all.push(word);
        }
        Ok(())
    }
}

fn given<'a>(it: &'a Parameter, arguments: &'a Map<String, Value>) -> Option<&'a Value> {
    arguments.get(&it.name).filter(|value| !value.is_null()).or(it.default.as_ref())
}

/// What an option is passed with.
fn flag(it: &Parameter) -> String {
    match it.alias.as_deref() {
        Some(alias) if alias.starts_with('-') => alias.to_owned(),
        Some(alias) => format!("-{alias}"),
        None if it.name.starts_with('-') => it.name.clone(),
        None => format!("--{}", it.name),
    }
}

/// A flag and its value. A value that begins with `-` is tied to its flag, so that a program that
/// could do without a value does not take it for the next option.
fn joined(it: &Parameter, flag: &str, word: String) -> Result<Vec<String>, Error> {
    if !word.starts_with('-') {
        return Ok(vec![flag.to_owned(), word]);
    }
    if flag.starts_with("--") {
        return Ok(vec![format!("{flag}={word}")]);
    }
    if flag.chars().count() == 2 {
        return Ok(vec![format!("{flag}{word}")]);
    }
    Err(Error::LooksLikeOption { name: it.name.clone(), value: word })
}

/// A path that stays inside, written so that it is no option; any other word as it is.
fn inside(it: &Parameter, word: String, scope: &Scope, folder: &Path) -> Result<String, Error> {
    if !value::is_path(it) {
        return Ok(word);
    }
    // The words of the caller go on, not where they lead: programs print paths as they got them, and
    // a link is a thing of its own to `git add` or `rm`.
    scope.holds(&it.name, &word, folder)?;
    Ok(if word.starts_with('-') { format!("./{word}") } else { word })
}

fn attach(it: &Parameter, text: &str, scope: &Scope, words: &mut Words) -> Result<String, Error> {
    let folder = scope.root();
    let failed = |source| Error::File { name: it.name.clone(), folder: folder.to_owned(), source };
    let file = Attachment::write(text, folder).map_err(failed)?;
    let path = file.path().to_string_lossy().into_owned();
    words.files.push(file);
    Ok(path)
}
