//! What happens to an app while it is being looked at.

use std::time::Duration;

use harness::App;
use rustix::process::Signal;

/// An app that is looked at and struck.
pub(crate) struct Subject {
    /// The app.
    pub(crate) app: App,
    /// LibreOffice leaves a lock when it is killed, which changes its next start.
    pub(crate) may_be_killed: bool,
}

/// The apps, one of each way to read a tree.
pub(crate) const SUBJECTS: [Subject; 7] = [
    Subject { app: App::Mousepad, may_be_killed: true },
    Subject { app: App::Gtk3Demo, may_be_killed: true },
    Subject { app: App::GnomeCalculator, may_be_killed: true },
    Subject { app: App::Kcalc, may_be_killed: true },
    Subject { app: App::Designer, may_be_killed: true },
    Subject { app: App::SwingForm, may_be_killed: true },
    Subject { app: App::Writer, may_be_killed: false },
];

/// How an app is struck.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Fault {
    /// It stops answering.
    Freeze,
    /// It is gone.
    Kill,
}

impl Fault {
    /// A blow the victim can take, by lot.
    pub(crate) fn random(rng: &mut fastrand::Rng, subject: &Subject) -> Self {
        if subject.may_be_killed && rng.u8(0..3) == 0 { Self::Kill } else { Self::Freeze }
    }

    /// The signal that does it.
    pub(crate) fn signal(self) -> Signal {
        match self {
            Self::Freeze => Signal::STOP,
            Self::Kill => Signal::KILL,
        }
    }
}

/// When the blow falls: before the look, in its first moments or at its end.
pub(crate) fn random_delay(rng: &mut fastrand::Rng) -> Duration {
    Duration::from_micros(rng.u64(0..60_000))
}

/// A command that looks at an app, by lot.
pub(crate) fn random_read_command(rng: &mut fastrand::Rng, pid: &str) -> Vec<String> {
    let forms: [&[&str]; 4] = [
        &["tree"],
        &["tree", "--flat", "--format", "json"],
        &["find", "role:button", "--all"],
        &["apps"],
    ];
    let form = forms[rng.usize(0..forms.len())];
    let mut words: Vec<String> = form.iter().map(|&word| word.to_owned()).collect();
    if form != ["apps"] {
        words.extend(["--app".to_owned(), pid.to_owned()]);
    }
    words
}
