//! Faults that are injected while an app is read.

use std::time::Duration;

use harness::App;
use rustix::process::Signal;

/// An app that faults are injected into.
pub(crate) struct Subject {
    /// The app.
    pub(crate) app: App,
    /// `false` for LibreOffice: when killed it leaves a lock that changes its next start.
    pub(crate) may_be_killed: bool,
}

/// The apps, one for each way to read a tree.
pub(crate) const SUBJECTS: [Subject; 7] = [
    Subject { app: App::Mousepad, may_be_killed: true },
    Subject { app: App::Gtk3Demo, may_be_killed: true },
    Subject { app: App::GnomeCalculator, may_be_killed: true },
    Subject { app: App::Kcalc, may_be_killed: true },
    Subject { app: App::Designer, may_be_killed: true },
    Subject { app: App::SwingForm, may_be_killed: true },
    Subject { app: App::Writer, may_be_killed: false },
];

/// A fault.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// The app stops responding.
    Freeze,
    /// The app is killed.
    Kill,
}

impl Fault {
    /// Returns a random fault that the app supports.
    pub(crate) fn random(rng: &mut fastrand::Rng, subject: &Subject) -> Self {
        if subject.may_be_killed && rng.u8(0..3) == 0 { Self::Kill } else { Self::Freeze }
    }

    /// Returns the signal that causes the fault.
    pub(crate) fn signal(self) -> Signal {
        match self {
            Self::Freeze => Signal::STOP,
            Self::Kill => Signal::KILL,
        }
    }
}

/// Returns a random delay: the fault occurs at the start, during or at the end of a read.
pub(crate) fn random_delay(rng: &mut fastrand::Rng) -> Duration {
    Duration::from_micros(rng.u64(0..60_000))
}

/// Returns a random command that reads an app.
pub(crate) fn random_read_command(rng: &mut fastrand::Rng, pid: &str) -> Vec<String> {
    let commands: [&[&str]; 4] = [
        &["tree"],
        &["tree", "--flat", "--format", "json"],
        &["find", "role:button", "--all"],
        &["apps"],
    ];
    let command = commands[rng.usize(0..commands.len())];
    let mut arguments: Vec<String> = command.iter().map(|&word| word.to_owned()).collect();
    if command != ["apps"] {
        arguments.extend(["--app".to_owned(), pid.to_owned()]);
    }
    arguments
}
