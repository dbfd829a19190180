//! What became of a check.

use std::{fmt, time::Duration};

use super::Part;

/// The outcome of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Verdict {
    /// It holds.
    Passed,
    /// It does not; what was seen.
    Failed(String),
    /// The desktop has no such part, as its caller declared.
    NotOffered(Part),
    /// The app has nothing of the kind, as its description says.
    NotInSubject(&'static str),
}

/// One check and what became of it.
#[derive(Debug, Clone)]
pub struct Report {
    /// Its name.
    pub name: &'static str,
    /// The outcome.
    pub verdict: Verdict,
    /// How long it took.
    pub took: Duration,
}

impl Report {
    /// Whether it shows a fault of the backend.
    pub fn failed(&self) -> bool {
        match self.verdict {
            Verdict::Failed(_) => true,
            Verdict::Passed | Verdict::NotOffered(_) | Verdict::NotInSubject(_) => false,
        }
    }
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, verdict, took } = self;
        match verdict {
            Verdict::Passed => write!(f, "passed {name} ({} ms)", took.as_millis()),
            Verdict::Failed(seen) => write!(f, "FAILED {name}: {seen}"),
            Verdict::NotOffered(part) => {
                write!(f, "absent {name}: not offered by this desktop ({})", part.word())
            }
            Verdict::NotInSubject(what) => write!(f, "absent {name}: the app has no {what}"),
        }
    }
}
