//! What is wrong with a file, and where.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use serde::Serialize;

/// One thing that is wrong with a file, or odd about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refusal {
    /// The file.
    pub file: PathBuf,
    /// The line, counted from 1; none where the file as a whole is meant.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The character in that line, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// What is wrong.
    pub why: String,
    /// What to write instead, where that can be guessed.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

impl Refusal {
    /// Something wrong with a file as a whole.
    pub(crate) fn of_file(file: &Path, why: impl Into<String>, suggestion: Option<&str>) -> Self {
        Self {
            file: file.to_owned(),
            line: None,
            column: None,
            why: why.into(),
            suggestion: suggestion.map(str::to_owned),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}", self.why)
    }
}
