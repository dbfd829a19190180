//! Runs the checks one after the other.

use std::time::Instant;

use super::{
    AppUse, Check, Declared, Part, Report, Subject, Verdict, checks,
    scene::{Fault, Outcome, Scene},
};
use crate::Desktop;

/// Starts the app and runs every check, or those whose name is among `only`.
pub fn run(
    desktop: &Desktop,
    subject: &Subject,
    declared: &Declared<'_>,
    only: &[String],
) -> Vec<Report> {
    let chosen = |check: &&Check| only.is_empty() || only.iter().any(|name| name == check.name);
    let mut shared: Option<Result<Scene<'_>, Fault>> = None;
    let mut reports = Vec::new();
    for check in checks().filter(chosen) {
        let begun = Instant::now();
        let verdict = match absence(check, desktop, declared) {
            Some(verdict) => verdict,
            None => {
                let outcome = match check.app {
                    AppUse::Shared => {
                        let scene =
                            shared.get_or_insert_with(|| Scene::open(desktop, subject, declared));
                        on(scene, check)
                    }
                    AppUse::Own => {
                        // Many apps are there once: a second start hands over to the first.
                        drop(shared.take());
                        on(&Scene::open(desktop, subject, declared), check)
                    }
                };
                judge(outcome)
            }
        };
        reports.push(Report { name: check.name, verdict, took: begun.elapsed() });
    }
    reports
}

fn on(scene: &Result<Scene<'_>, Fault>, check: &Check) -> Outcome {
    match scene {
        Ok(scene) => (check.run)(scene),
        Err(fault) => Err(fault.clone()),
    }
}

fn judge(outcome: Outcome) -> Verdict {
    match outcome {
        Ok(()) => Verdict::Passed,
        Err(Fault::Failed(seen)) => Verdict::Failed(seen),
        Err(Fault::NotInSubject(what)) => Verdict::NotInSubject(what),
    }
}

/// What there is to say of a check whose parts are not all there, or are there against what was declared.
fn absence(check: &Check, desktop: &Desktop, declared: &Declared<'_>) -> Option<Verdict> {
    check.needs.iter().find_map(|part| {
        let said = declared.absent.contains(part);
        compare(*part, part.present(desktop, declared), said)
    })
}

fn compare(part: Part, present: Option<bool>, declared_absent: bool) -> Option<Verdict> {
    let word = part.word();
    match (present, declared_absent) {
        (Some(true), false) | (None, false) => None,
        (Some(false) | None, true) => Some(Verdict::NotOffered(part)),
        (Some(false), false) => {
            Some(Verdict::Failed(format!("`{word}` is not there, and nobody declared it absent")))
        }
        (Some(true), true) => {
            Some(Verdict::Failed(format!("`{word}` was declared absent, and it is there")))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn only_a_declared_absence_is_accepted() {
        assert_eq!(compare(Part::Input, Some(true), false), None);
        assert_eq!(compare(Part::Input, Some(false), true), Some(Verdict::NotOffered(Part::Input)));
        for (present, declared) in [(false, false), (true, true)] {
            let verdict = compare(Part::Input, Some(present), declared);
            assert!(matches!(verdict, Some(Verdict::Failed(_))), "{verdict:?}");
        }
    }

    #[test]
    fn every_check_has_a_name_of_its_own_and_calls_the_seam() {
        let mut names = HashSet::new();
        for check in checks() {
            assert!(names.insert(check.name), "{} is there twice", check.name);
            assert!(!check.covers.is_empty(), "{} calls nothing", check.name);
        }
    }
}
