//! A settings file as text: reads, sets and removes the server's entry, in JSON or TOML.

use std::fmt;

use super::{Launch, json, toml};

/// The format of a settings file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileFormat {
    /// JSON, with comments and trailing commas.
    Json {
        /// Set if an entry has a `type` field.
        has_type: bool,
    },
    /// TOML.
    Toml,
}

/// A problem that prevents an edit.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditProblem {
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
    WrongType {
        /// The path of the value.
        path: String,
        /// The expected type.
        expected: &'static str,
    },
    /// A key is duplicated.
    Duplicate {
        /// The path of the key.
        path: String,
    },
    /// The edit would change more than the server's entry.
    LossyEdit,
}

impl fmt::Display for EditProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Syntax { line, column, what } => {
                write!(f, "line {line}, column {column}: {what}")
            }
            Self::WrongType { path, expected } => write!(f, "{path} is not {expected}"),
            Self::Duplicate { path } => write!(f, "{path} is defined more than once"),
            Self::LossyEdit => {
                write!(f, "the file cannot be edited without changing other settings")
            }
        }
    }
}

impl FileFormat {
    /// Reads the server's entry. Returns `None` if there is none.
    pub(super) fn get(self, text: &str, key: &str) -> Result<Option<Launch>, EditProblem> {
        match self {
            Self::Json { .. } => json::get(text, key),
            Self::Toml => toml::get(text, key),
        }
    }

    /// Returns the text with the server's entry.
    pub(super) fn set(self, text: &str, key: &str, launch: &Launch) -> Result<String, EditProblem> {
        let after = match self {
            Self::Json { has_type } => json::set(text, key, launch, has_type)?,
            Self::Toml => toml::set(text, key, launch)?,
        };
        let entry_is_correct = self.get(&after, key)?.as_ref() == Some(launch);
        self.checked(text, after, key, entry_is_correct)
    }

    /// Returns the text without the server's entry.
    pub(super) fn remove(self, text: &str, key: &str) -> Result<String, EditProblem> {
        let after = match self {
            Self::Json { .. } => json::remove(text, key)?,
            Self::Toml => toml::remove(text, key)?,
        };
        let entry_is_correct = self.get(&after, key)?.is_none();
        self.checked(text, after, key, entry_is_correct)
    }

    /// Returns the edited text if all other settings are unchanged.
    fn checked(
        self,
        before: &str,
        after: String,
        key: &str,
        entry_is_correct: bool,
    ) -> Result<String, EditProblem> {
        let others = |text| match self {
            Self::Json { .. } => json::other_settings(text, key),
            Self::Toml => toml::other_settings(text, key),
        };
        if entry_is_correct && others(before)? == others(&after)? {
            Ok(after)
        } else {
            Err(EditProblem::LossyEdit)
        }
    }
}
