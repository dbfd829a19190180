//! Builds a command line from arguments. No shell interprets it, so values need no quotes, but a value must not be
//! taken for an option.

use std::path::Path;

use serde_json::{Map, Value};

use super::{
    attachment::Attachment,
    definition::{Parameter, ValueType},
    error::Error,
    meta_arguments,
    nearest::nearest,
    scope::Scope,
    value,
};

/// A command and its parameters.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct CommandTemplate {
    /// The name of the tool, for messages.
    pub(super) tool: String,
    /// The program and its fixed first arguments.
    pub(super) words: Vec<String>,
    pub(super) options: Vec<Parameter>,
    pub(super) positionals: Vec<Parameter>,
    pub(super) order: PositionalOrder,
}

/// The position of positional arguments.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PositionalOrder {
    /// After the options.
    Last,
    /// After the options and `--`.
    AfterDashes,
    /// Before the options.
    First,
}

/// Arguments of a command line, and their temporary files.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct CommandWords {
    pub(super) all: Vec<String>,
    pub(super) files: Vec<Attachment>,
}

impl CommandWords {
    /// Adds the values of a parameter: texts for files become files, paths are checked, and `spell` turns
    /// all other values into words. `flag` precedes a file, unless the definition names another one.
    fn add_values(
        &mut self,
        parameter: &Parameter,
        given: &Value,
        flag: Option<&str>,
        scope: &Scope,
        folder: &Path,
        spell: impl Fn(String) -> Result<Vec<String>, Error>,
    ) -> Result<(), Error> {
        for word in value::to_words(parameter, given)? {
            if parameter.file_arg == Some(true) {
                let path = attach(parameter, &word, scope, self)?;
                self.all.extend(parameter.file_flag.as_deref().or(flag).map(str::to_owned));
                self.all.push(path);
            } else {
                self.all.extend(spell(check_path(parameter, word, scope, folder)?)?);
            }
        }
        Ok(())
    }
}

impl CommandTemplate {
    /// Checks the names and types of arguments. Does not access files.
    pub(super) fn check(&self, arguments: &Map<String, Value>) -> Result<(), Error> {
        let known = || self.options.iter().chain(&self.positionals);
        for (name, given) in arguments {
            if meta_arguments::NAMES.contains(&name.as_str()) {
                continue;
            }
            match known().find(|parameter| parameter.name == *name) {
                Some(_) if given.is_null() => {}
                Some(parameter) => value::check(parameter, given)?,
                None => return Err(self.unknown_argument(name)),
            }
        }
        let missing = known().find(|parameter| {
            parameter.required == Some(true)
                && parameter.default.is_none()
                && arguments.get(&parameter.name).is_none_or(Value::is_null)
        });
        match missing {
            Some(parameter) => {
                Err(Error::Missing { tool: self.tool.clone(), name: parameter.name.clone() })
            }
            None => Ok(()),
        }
    }

    /// Builds the arguments of the program.
    pub(super) fn build(
        &self,
        arguments: &Map<String, Value>,
        scope: &Scope,
        folder: &Path,
    ) -> Result<CommandWords, Error> {
        self.check(arguments)?;
        let mut options = CommandWords::default();
        for parameter in &self.options {
            self.add_option(parameter, arguments, scope, folder, &mut options)?;
        }
        let mut positionals = CommandWords::default();
        for parameter in &self.positionals {
            self.add_positional(parameter, arguments, scope, folder, &mut positionals)?;
        }
        let dashes = CommandWords { all: vec!["--".to_owned()], files: Vec::new() };
        let fixed =
            CommandWords { all: self.words.iter().skip(1).cloned().collect(), files: Vec::new() };
        let parts = match self.order {
            PositionalOrder::First => vec![fixed, positionals, options],
            PositionalOrder::AfterDashes if !positionals.all.is_empty() => {
                vec![fixed, options, dashes, positionals]
            }
            PositionalOrder::AfterDashes | PositionalOrder::Last => {
                vec![fixed, options, positionals]
            }
        };
        Ok(parts.into_iter().fold(CommandWords::default(), |mut whole, part| {
            whole.all.extend(part.all);
            whole.files.extend(part.files);
            whole
        }))
    }

    fn unknown_argument(&self, name: &str) -> Error {
        let every = || self.options.iter().chain(&self.positionals);
        let by_alias = every().find(|parameter| parameter.alias.as_deref() == Some(name));
        let known: Vec<String> = every().map(|parameter| parameter.name.clone()).collect();
        let names = known.iter().map(String::as_str).chain(meta_arguments::NAMES.iter().copied());
        let near = by_alias.map(|parameter| parameter.name.clone());
        let near = near.or_else(|| nearest(name, names).map(str::to_owned));
        Error::Unknown { tool: self.tool.clone(), name: name.to_owned(), near, known }
    }

    fn add_option(
        &self,
        parameter: &Parameter,
        arguments: &Map<String, Value>,
        scope: &Scope,
        folder: &Path,
        words: &mut CommandWords,
    ) -> Result<(), Error> {
        let Some(given) = argument_value(parameter, arguments) else { return Ok(()) };
        let flag = flag(parameter);
        if parameter.kind == ValueType::Boolean {
            words.all.extend(given.as_bool().filter(|yes| *yes).map(|_| flag));
            return Ok(());
        }
        words.add_values(parameter, given, Some(&flag), scope, folder, |word| {
            join_flag(parameter, &flag, word)
        })
    }

    fn add_positional(
        &self,
        parameter: &Parameter,
        arguments: &Map<String, Value>,
        scope: &Scope,
        folder: &Path,
        words: &mut CommandWords,
    ) -> Result<(), Error> {
        let Some(given) = argument_value(parameter, arguments) else { return Ok(()) };
        words.add_values(parameter, given, None, scope, folder, |word| {
            if word.starts_with('-') && self.order != PositionalOrder::AfterDashes {
                return Err(Error::LooksLikeOption { name: parameter.name.clone(), value: word });
            }
            Ok(vec![word])
        })
    }
}

fn argument_value<'a>(
    parameter: &'a Parameter,
    arguments: &'a Map<String, Value>,
) -> Option<&'a Value> {
    arguments.get(&parameter.name).filter(|value| !value.is_null()).or(parameter.default.as_ref())
}

/// Returns the flag of an option.
fn flag(parameter: &Parameter) -> String {
    match parameter.alias.as_deref() {
        Some(alias) if alias.starts_with('-') => alias.to_owned(),
        Some(alias) => format!("-{alias}"),
        None if parameter.name.starts_with('-') => parameter.name.clone(),
        None => format!("--{}", parameter.name),
    }
}

/// Returns a flag and its value. A value that begins with `-` is joined to its flag, so that a program with an
/// optional value does not take it for the next option.
fn join_flag(parameter: &Parameter, flag: &str, word: String) -> Result<Vec<String>, Error> {
    if !word.starts_with('-') {
        return Ok(vec![flag.to_owned(), word]);
    }
    if flag.starts_with("--") {
        return Ok(vec![format!("{flag}={word}")]);
    }
    if flag.chars().count() == 2 {
        return Ok(vec![format!("{flag}{word}")]);
    }
    Err(Error::LooksLikeOption { name: parameter.name.clone(), value: word })
}

/// Checks that a path is inside the scope, and prefixes it with `./` if it looks like an option.
fn check_path(
    parameter: &Parameter,
    word: String,
    scope: &Scope,
    folder: &Path,
) -> Result<String, Error> {
    if !value::is_path(parameter) {
        return Ok(word);
    }
    // The path is passed as given, not resolved: programs print paths as they got them, and `git add` and `rm` treat
    // a link differently from its target.
    scope.require_inside(&parameter.name, &word, folder)?;
    Ok(if word.starts_with('-') { format!("./{word}") } else { word })
}

fn attach(
    parameter: &Parameter,
    text: &str,
    scope: &Scope,
    words: &mut CommandWords,
) -> Result<String, Error> {
    let folder = scope.root();
    let failed =
        |source| Error::File { name: parameter.name.clone(), folder: folder.to_owned(), source };
    let file = Attachment::write(text, folder).map_err(failed)?;
    let path = file.path().to_string_lossy().into_owned();
    words.files.push(file);
    Ok(path)
}
