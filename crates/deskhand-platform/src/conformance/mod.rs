//! What every backend must do: checks written against the traits of this crate alone, for a real desktop
//! and a real app on it. Effects are seen by looking again, never taken from a reply.
//!
//! A caller opens a desktop, describes an app in a [`Subject`], says in [`Declared`] what the desktop lacks,
//! and [`run`] starts the app and tells a [`Verdict`] for each [`Check`]. Nothing is left out in silence: a
//! part that is absent must be declared, and one that is declared absent must be.

mod acting;
mod clipboard;
mod events;
mod extras;
mod identities;
mod input;
mod keyboard;
mod looking;
mod machine;
mod pixels;
mod programs;
mod run;
mod scene;
mod stopped;
mod subject;
mod verdict;
mod walking;
mod windows;

pub use run::run;
pub use subject::{Declared, Part, Pressing, Stop, Subject, Wanted};
pub use verdict::{Report, Verdict};

use scene::{Fault, Outcome, Scene, ensure, eventually, soon};

/// One thing a backend must do.
#[derive(Debug)]
pub struct Check {
    /// What holds, as a name.
    pub name: &'static str,
    /// The methods of the seam it calls, as `Trait::method`.
    pub covers: &'static [&'static str],
    /// What the desktop must have for it.
    pub needs: &'static [Part],
    /// Whether it leaves the app as it found it.
    app: AppUse,
    run: fn(&Scene<'_>) -> Outcome,
}

/// Which app a check works on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum AppUse {
    /// The one all others work on.
    Shared,
    /// One of its own, which it may end.
    Own,
}

/// Every check, in the order they run.
pub fn checks() -> impl Iterator<Item = &'static Check> {
    let rooms: [&'static [Check]; 14] = [
        looking::CHECKS,
        walking::CHECKS,
        acting::CHECKS,
        events::CHECKS,
        windows::CHECKS,
        pixels::CHECKS,
        input::CHECKS,
        keyboard::CHECKS,
        clipboard::CHECKS,
        identities::CHECKS,
        machine::CHECKS,
        programs::CHECKS,
        extras::CHECKS,
        stopped::CHECKS,
    ];
    rooms.into_iter().flatten()
}
