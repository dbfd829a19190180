//! A problem in a file, with its position.

use std::{
    fmt,
    path::{Path, PathBuf},
};

use serde::Serialize;

/// A problem in a file, or a warning about it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Diagnostic {
    /// The file.
    pub file: PathBuf,
    /// The line, counted from 1. `None` if the whole file is affected.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<usize>,
    /// The character in the line, counted from 1.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub column: Option<usize>,
    /// The problem.
    #[serde(rename = "why")]
    pub message: String,
    /// A correction, if there is an obvious one.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<String>,
}

impl Diagnostic {
    /// Creates a diagnostic for a whole file.
    pub(crate) fn for_file(
        file: &Path,
        message: impl Into<String>,
        suggestion: Option<&str>,
    ) -> Self {
        Self {
            file: file.to_owned(),
            line: None,
            column: None,
            message: message.into(),
            suggestion: suggestion.map(str::to_owned),
        }
    }
}

impl fmt::Display for Diagnostic {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.file.display())?;
        if let (Some(line), Some(column)) = (self.line, self.column) {
            write!(f, ":{line}:{column}")?;
        }
        write!(f, ": {}", self.message)
    }
}
