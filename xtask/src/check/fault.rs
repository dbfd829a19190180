//! What a gate hands back.

use std::fmt;

use crate::error::Error;

/// One place where a rule is broken.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Fault {
    place: Option<String>,
    what: String,
}

impl Fault {
    /// A fault of the workspace as a whole.
    pub(super) fn new(what: impl Into<String>) -> Self {
        Self { place: None, what: what.into() }
    }

    /// A fault of one file.
    pub(super) fn file(path: &str, what: impl Into<String>) -> Self {
        Self { place: Some(path.to_owned()), what: what.into() }
    }

    /// A fault of one line, counted from 1.
    pub(super) fn line(path: &str, line: usize, what: impl Into<String>) -> Self {
        Self { place: Some(format!("{path}:{line}")), what: what.into() }
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.place {
            Some(place) => write!(f, "{place}: {}", self.what),
            None => write!(f, "{}", self.what),
        }
    }
}

/// The outcome of one gate: its faults, and what it looked at.
#[derive(Debug)]
pub(super) struct Verdict {
    pub(super) faults: Vec<Fault>,
    looked_at: String,
}

impl Verdict {
    pub(super) fn new(faults: Vec<Fault>, looked_at: impl Into<String>) -> Self {
        Self { faults, looked_at: looked_at.into() }
    }

    /// A gate that could not do its work has not passed.
    pub(super) fn broken(error: Error) -> Self {
        let hint = error.hint().map(|hint| format!(" ({hint})")).unwrap_or_default();
        Self::new(vec![Fault::new(format!("{error}{hint}"))], "could not run")
    }

    pub(super) fn passed(&self) -> bool {
        self.faults.is_empty()
    }

    pub(super) fn summary(&self) -> &str {
        &self.looked_at
    }
}
