//! A settings file as text: our entry read, put in and taken out, in either format.

use std::fmt;

use super::{Launch, json, toml};

/// The format of a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Format {
    /// JSON, with comments and last commas where the client takes them.
    Json {
        /// Whether an entry says that it is about standard streams.
        typed: bool,
    },
    /// TOML.
    Toml,
}

/// What keeps a text from being edited.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Problem {
    /// It does not follow the format.
    Syntax {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// What is wrong there.
        what: String,
    },
    /// Something has another shape than the client reads.
    Shape {
        /// Where.
        path: String,
        /// What belongs there.
        expected: &'static str,
    },
    /// A key is there more than once.
    Twice {
        /// Where.
        path: String,
    },
    /// The edited text would not say the same as before, but for our entry.
    Unsure,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { line, column, what } => {
                write!(f, "line {line}, column {column}: {what}")
            }
            Self::Shape { path, expected } => write!(f, "{path} is not {expected}"),
            Self::Twice { path } => write!(f, "{path} is there more than once"),
            Self::Unsure => write!(f, "it cannot be edited without changing something else"),
        }
    }
}

impl Format {
    /// How our entry starts the server; `None` where it is not there.
    pub(super) fn get(self, text: &str, key: &str) -> Result<Option<Launch>, Problem> {
        match self {
            Self::Json { .. } => json::get(text, key),
            Self::Toml => toml::get(text, key),
        }
    }

    /// The text with our entry in it.
    pub(super) fn set(self, text: &str, key: &str, launch: &Launch) -> Result<String, Problem> {
        let after = match self {
            Self::Json { typed } => json::set(text, key, launch, typed)?,
            Self::Toml => toml::set(text, key, launch)?,
        };
        let is_right = self.get(&after, key)?.as_ref() == Some(launch);
        self.checked(text, after, key, is_right)
    }

    /// The text without our entry.
    pub(super) fn remove(self, text: &str, key: &str) -> Result<String, Problem> {
        let after = match self {
            Self::Json { .. } => json::remove(text, key)?,
            Self::Toml => toml::remove(text, key)?,
        };
        let is_right = self.get(&after, key)?.is_none();
        self.checked(text, after, key, is_right)
    }

    /// An edited text, if all that is not ours says what it said before.
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
