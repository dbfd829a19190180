//! Runs the checks one after the other.

use std::time::Instant;

use super::{
    AppUse, Capability, CheckOutcome, CheckReport, ConformanceCheck, Environment, TestApp, checks,
    fixture::{CheckError, CheckResult, Fixture},
};
use crate::Desktop;

/// Starts the app and runs the checks named in `only`, or every check if `only` is empty.
pub fn run(
    desktop: &Desktop,
    test_app: &TestApp,
    environment: &Environment<'_>,
    only: &[String],
) -> Vec<CheckReport> {
    let is_selected =
        |check: &&ConformanceCheck| only.is_empty() || only.iter().any(|name| name == check.name);
    let mut shared: Option<Result<Fixture<'_>, CheckError>> = None;
    let mut reports = Vec::new();
    for check in checks().filter(is_selected) {
        let start = Instant::now();
        let outcome = match check_capabilities(check, desktop, environment) {
            Some(outcome) => outcome,
            None => {
                let result = match check.app {
                    AppUse::Shared => {
                        let fixture = shared
                            .get_or_insert_with(|| Fixture::open(desktop, test_app, environment));
                        run_with(fixture, check)
                    }
                    AppUse::Exclusive => {
                        // Many apps run once: a second start would activate the first instance.
                        drop(shared.take());
                        run_with(&Fixture::open(desktop, test_app, environment), check)
                    }
                };
                to_outcome(result)
            }
        };
        reports.push(CheckReport { name: check.name, outcome, elapsed: start.elapsed() });
    }
    reports
}

fn run_with(fixture: &Result<Fixture<'_>, CheckError>, check: &ConformanceCheck) -> CheckResult {
    match fixture {
        Ok(fixture) => (check.run)(fixture),
        Err(error) => Err(error.clone()),
    }
}

fn to_outcome(result: CheckResult) -> CheckOutcome {
    match result {
        Ok(()) => CheckOutcome::Passed,
        Err(CheckError::Failed(message)) => CheckOutcome::Failed(message),
        Err(CheckError::NotInApp(what)) => CheckOutcome::NotInApp(what),
    }
}

/// Returns the outcome of a check that cannot run because a capability is absent, or differs from
/// the declaration; `None` if the check can run.
fn check_capabilities(
    check: &ConformanceCheck,
    desktop: &Desktop,
    environment: &Environment<'_>,
) -> Option<CheckOutcome> {
    check.requires.iter().find_map(|capability| {
        let declared_absent = environment.absent.contains(capability);
        compare(*capability, capability.is_present(desktop, environment), declared_absent)
    })
}

fn compare(
    capability: Capability,
    present: Option<bool>,
    declared_absent: bool,
) -> Option<CheckOutcome> {
    let name = capability.name();
    match (present, declared_absent) {
        (Some(true), false) | (None, false) => None,
        (Some(false) | None, true) => Some(CheckOutcome::Unavailable(capability)),
        (Some(false), false) => {
            Some(CheckOutcome::Failed(format!("`{name}` is absent but not declared absent")))
        }
        (Some(true), true) => {
            Some(CheckOutcome::Failed(format!("`{name}` is declared absent but present")))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn only_a_declared_absence_is_accepted() {
        let input = Capability::Input;
        assert_eq!(compare(input, Some(true), false), None);
        assert_eq!(compare(input, Some(false), true), Some(CheckOutcome::Unavailable(input)));
        for (present, declared_absent) in [(false, false), (true, true)] {
            let outcome = compare(input, Some(present), declared_absent);
            assert!(matches!(outcome, Some(CheckOutcome::Failed(_))), "{outcome:?}");
        }
    }

    #[test]
    fn every_check_has_a_unique_name_and_calls_the_seam() {
        let mut names = HashSet::new();
        for check in checks() {
            assert!(names.insert(check.name), "duplicate check {}", check.name);
            assert!(!check.covers.is_empty(), "{} calls no method", check.name);
        }
    }
}
