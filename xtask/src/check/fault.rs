//! The result of a gate.

use std::fmt;

use crate::error::Error;

/// A violation of a rule.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    location: Option<String>,
    message: String,
}

impl Fault {
    /// Creates a fault of the whole workspace.
    pub(super) fn new(message: impl Into<String>) -> Self {
        Self { location: None, message: message.into() }
    }

    /// Creates a fault of one file.
    pub(super) fn file(path: &str, message: impl Into<String>) -> Self {
        Self { location: Some(path.to_owned()), message: message.into() }
    }

    /// Creates a fault of one line, counted from 1.
    pub(super) fn line(path: &str, line: usize, message: impl Into<String>) -> Self {
        Self { location: Some(format!("{path}:{line}")), message: message.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.location {
            Some(location) => write!(f, "{location}: {}", self.message),
            None => write!(f, "{}", self.message),
        }
    }
}

/// The faults that a gate found, and a summary of what it checked.
#[derive(Debug)]
pub(super) struct Verdict {
    pub(super) faults: Vec<Fault>,
    summary: String,
}

impl Verdict {
    pub(super) fn new(faults: Vec<Fault>, summary: impl Into<String>) -> Self {
        Self { faults, summary: summary.into() }
    }

    /// Creates the verdict of a gate that could not run. It has not passed.
    pub(super) fn broken(error: Error) -> Self {
        let hint = error.hint().map(|hint| format!(" ({hint})")).unwrap_or_default();
        Self::new(vec![Fault::new(format!("{error}{hint}"))], "could not run")
    }

    pub(super) fn passed(&self) -> bool {
        self.faults.is_empty()
    }

    pub(super) fn summary(&self) -> &str {
        &self.summary
    }
}
