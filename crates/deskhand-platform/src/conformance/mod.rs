//! The conformance suite: checks that every backend must pass on a real desktop with a real app.
//!
//! The checks use only the traits of this crate. They observe effects by reading the state again,
//! and never trust a reply.
//!
//! The caller opens a desktop, describes an app in a [`TestApp`] and lists in [`Environment`] what
//! the desktop lacks. [`run`] starts the app and returns a [`CheckOutcome`] for each
//! [`ConformanceCheck`]. Nothing is skipped silently: a capability that is absent must be declared
//! absent, and a capability that is declared absent must be absent.

mod actions;
mod clipboard;
mod events;
mod fixture;
mod identities;
mod input;
mod keyboard;
mod machine;
mod optional;
mod programs;
mod report;
mod run;
mod screen;
mod suspended;
mod test_app;
mod timing;
mod tree;
mod walk;
mod windows;

pub use report::{CheckOutcome, CheckReport};
pub use run::run;
pub use test_app::{Capability, ElementPattern, Environment, PressTarget, ProcessControl, TestApp};

use fixture::{CheckError, CheckResult, Fixture, call_deadline, ensure, eventually};

/// One requirement for a backend, and the code that checks it.
#[derive(Debug)]
pub struct ConformanceCheck {
    /// The requirement, as a name.
    pub name: &'static str,
    /// The methods of the platform traits that the check calls, as `Trait::method`.
    pub covers: &'static [&'static str],
    /// The capabilities that the desktop must have.
    pub requires: &'static [Capability],
    app: AppUse,
    run: fn(&Fixture<'_>) -> CheckResult,
}

/// The app instance that a check uses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AppUse {
    /// One instance for all checks; the check leaves it running.
    Shared,
    /// A separate instance, which the check may end.
    Exclusive,
}

/// Returns every check, in the order they run.
pub fn checks() -> impl Iterator<Item = &'static ConformanceCheck> {
    let groups: [&'static [ConformanceCheck]; 14] = [
        tree::CHECKS,
        walk::CHECKS,
        actions::CHECKS,
        events::CHECKS,
        windows::CHECKS,
        screen::CHECKS,
        input::CHECKS,
        keyboard::CHECKS,
        clipboard::CHECKS,
        identities::CHECKS,
        machine::CHECKS,
        programs::CHECKS,
        optional::CHECKS,
        suspended::CHECKS,
    ];
    groups.into_iter().flatten()
}
