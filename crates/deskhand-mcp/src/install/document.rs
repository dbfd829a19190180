//! A settings file as text: reads, sets and removes the server's entry, in JSON or TOML.

use std::fmt;

use super::{Launch, json, toml};

/// The format of a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// JSON, with comments and trailing commas.
    Json {
        /// Whether an entry has a `type` field.
        typed: bool,
    },
    /// TOML.
    Toml,
}

/// A problem that prevents an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// A syntax error.
    Syntax {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// The message of the parser.
        what: String,
    },
    /// A value has the wrong type.
    Shape {
        /// The path of the value.
        path: String,
        /// The expected type.
        expected: &'static str,
    },
    /// A key is duplicated.
    Twice {
        /// The path of the key.
        path: String,
    },
    /// The edit would change more than the server's entry.
    Unsure,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { line, column, what } => {
                write!(f, "line {line}, column {column}: {what}")
            }
            Self::Shape { path, expected } => write!(f, "{path} is not {expected}"),
            Self::Twice { path } => write!(f, "{path} is defined more than once"),
            Self::Unsure => write!(f, "the file cannot be edited without changing other settings"),
        }
    }
}

impl Format {
    /// Reads the server's entry. Returns `None` if there is none.
    pub(super) fn get(self, text: &str, key: &str) -> Result<Option<Launch>, Problem> {
        match self {
            Self::Json { .. } => json::get(text, key),
            Self::Toml => toml::get(text, key),
        }
    }

    /// Returns the text with the server's entry.
    pub(super) fn set(self, text: &str, key: &str, launch: &Launch) -> Result<String, Problem> {
        let after = match self {
            Self::Json { typed } => json::set(text, key, launch, typed)?,
            Self::Toml => toml::set(text, key, launch)?,
        };
        let is_right = self.get(&after, key)?.as_ref() == Some(launch);
        self.checked(text, after, key, is_right)
    }

    /// Returns the text without the server's entry.
    pub(super) fn remove(self, text: &str, key: &str) -> Result<String, Problem> {
        let after = match self {
            Self::Json { .. } => json::remove(text, key)?,
            Self::Toml => toml::remove(text, key)?,
        };
        let is_right = self.get(&after, key)?.is_none();
        self.checked(text, after, key, is_right)
    }

    /// Returns the edited text if all other settings are unchanged.
    fn checked(
        self,
        before: &str,
        after: String,
        key: &str,
        is_right: bool,
    ) -> Result<String, Problem> {
        let others = |text| match self {
            Self::Json { .. } => json::others(text, key),
            Self::Toml => toml::others(text, key),
        };
        if is_right && others(before)? == others(&after)? {
            Ok(after)
        } else {
            Err(Problem::Unsure)
        }
    }
}
