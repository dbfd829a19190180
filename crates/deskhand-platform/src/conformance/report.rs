//! The outcome of a check.

use std::{fmt, time::Duration};

use super::Capability;

/// The outcome of one check.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckOutcome {
    /// The backend meets the requirement.
    Passed,
    /// The backend does not meet the requirement; contains the observed state.
    Failed(String),
    /// The desktop does not have the capability, as the caller declared.
    Unavailable(Capability),
    /// The app lacks the element or property that the check needs.
    NotInApp(&'static str),
}

/// A check and its outcome.
#[derive(Debug, Clone)]
pub struct CheckReport {
    /// The name of the check.
    pub name: &'static str,
    /// Its outcome.
    pub outcome: CheckOutcome,
    /// The time it took.
    pub elapsed: Duration,
}

impl CheckReport {
    /// Returns `true` if the check shows a fault of the backend.
    pub fn is_failure(&self) -> bool {
        match self.outcome {
            CheckOutcome::Failed(_) => true,
            CheckOutcome::Passed | CheckOutcome::Unavailable(_) | CheckOutcome::NotInApp(_) => {
                false
            }
        }
    }
}

impl fmt::Display for CheckReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { name, outcome, elapsed } = self;
        match outcome {
            CheckOutcome::Passed => write!(f, "passed {name} ({} ms)", elapsed.as_millis()),
            CheckOutcome::Failed(message) => write!(f, "FAILED {name}: {message}"),
            CheckOutcome::Unavailable(capability) => {
                write!(f, "absent {name}: this desktop has no `{}`", capability.name())
            }
            CheckOutcome::NotInApp(what) => write!(f, "absent {name}: the app has no {what}"),
        }
    }
}
