//! `soak aside`: background actions do not disturb the user.

use std::collections::BTreeMap;

use deskhand_linux::private::DESKTOP_ID_VAR;
use harness::actions::user::SimulatedUser;
use harness::actions::{CaseFilter, CaseResult, Situation, Toolkit, run as run_matrix};
use harness::{App, TestDesktop};

use crate::leftovers;
use crate::summary::Summary;

/// The situations in which the user works in another window.
const BACKGROUND_SITUATIONS: [Situation; 3] =
    [Situation::Background, Situation::Covered, Situation::Minimized];

/// Screen readers, which must not start on their own.
const SCREEN_READERS: [&str; 3] = ["orca", "speech-dispatch", "espeak"];

/// The repeated actions in one app.
struct AppActions {
    app: App,
    /// A part of the window title.
    title: &'static str,
    /// The arguments of the commands, used in turn.
    commands: &'static [&'static [&'static str]],
}

const APP_ACTIONS: [AppActions; 5] = [
    AppActions {
        app: App::Mousepad,
        title: "Mousepad",
        commands: &[&["set", "role:text", "one"], &["type", " two", "--into", "role:text"]],
    },
    AppActions {
        app: App::GnomeCalculator,
        title: "Calculator",
        commands: &[&["click", "role:button title:7"], &["click", "role:button title:8"]],
    },
    AppActions {
        app: App::Kcalc,
        title: "KCalc",
        commands: &[&["click", "role:button title:7"], &["click", "role:button title:8"]],
    },
    AppActions {
        app: App::Featherpad,
        title: "Untitled",
        commands: &[&["set", "role:text", "one"], &["type", " two", "--into", "role:text"]],
    },
    AppActions {
        app: App::Chromium("form.html"),
        title: "Form",
        commands: &[
            &["click", "role:checkbox title:\"Send news\""],
            &["click", "role:button title:Send"],
        ],
    },
];

#[derive(Default)]
struct Tally {
    actions: usize,
    by_effect: BTreeMap<String, usize>,
    disturbances: BTreeMap<&'static str, usize>,
    failures: Vec<String>,
}

impl Tally {
    fn add(&mut self, what: &str, effect: &str, disturbed: &[&'static str]) {
        self.actions += 1;
        *self.by_effect.entry(effect.to_owned()).or_default() += 1;
        for one in disturbed {
            *self.disturbances.entry(one).or_default() += 1;
        }
        if !disturbed.is_empty() {
            self.failures.push(format!("{what}: {}", disturbed.join(", ")));
        }
    }
}

/// Performs at least `actions` actions: every matrix case in a background situation, then actions
/// in real apps.
pub(crate) fn run(actions: usize, seed: u64) -> Summary {
    let progress = crate::progress(actions);
    let mut tally = Tally::default();
    for toolkit in Toolkit::ALL {
        progress.set_message(toolkit.name());
        let filters = BACKGROUND_SITUATIONS.map(|situation| CaseFilter { situation, names: &[] });
        run_matrix(toolkit, &filters, |row: &CaseResult| {
            tally.add(&row.to_string(), row.answer.word(), &row.disturbed);
            progress.inc(1);
        });
    }
    // Real apps get a fifth of all actions, or more if the matrix has too few cases.
    let left = actions.saturating_sub(tally.actions).max(actions / 5);
    for app_actions in &APP_ACTIONS {
        progress.set_message(app_actions.app.name());
        run_real_app(app_actions, left.div_ceil(APP_ACTIONS.len()), &mut tally, &progress);
    }
    progress.finish_and_clear();
    summarise(actions, seed, tally)
}

fn run_real_app(
    app_actions: &AppActions,
    times: usize,
    tally: &mut Tally,
    progress: &indicatif::ProgressBar,
) {
    let desktop = TestDesktop::new();
    let program = desktop.start(app_actions.app);
    let mut user = SimulatedUser::new(&desktop, app_actions.title);
    for (at, situation) in BACKGROUND_SITUATIONS.into_iter().enumerate() {
        user.arrange(situation);
        for step in (at..times).step_by(BACKGROUND_SITUATIONS.len()) {
            let commands = app_actions.commands
                [step / BACKGROUND_SITUATIONS.len() % app_actions.commands.len()];
            let before = user.state();
            let pid = program.pid_text();
            let outcome =
                desktop.deskhand(&[commands, &["--app", &pid, "--format", "json"]].concat());
            let answer = harness::actions::answer::Answer::from_outcome(&outcome);
            let disturbed = user.disturbances_since(&before);
            let what =
                format!("{}, {}: {}", app_actions.app.name(), situation.name(), outcome.line);
            tally.add(&what, answer.word(), &disturbed);
            user.restore();
            progress.inc(1);
        }
    }
    let processes = leftovers::carrying(DESKTOP_ID_VAR, &desktop.info().id);
    for reader in processes.iter().filter_map(|pid| screen_reader(*pid)) {
        tally.failures.push(format!("{reader} was started"));
    }
}

fn screen_reader(pid: u32) -> Option<String> {
    let name = std::fs::read_to_string(format!("/proc/{pid}/comm")).ok()?;
    SCREEN_READERS.iter().any(|one| name.starts_with(one)).then(|| name.trim().to_owned())
}

fn summarise(actions: usize, seed: u64, tally: Tally) -> Summary {
    let mut summary = Summary::new(
        "aside",
        format!("cargo xtask soak aside --actions {actions} --seed {seed}"),
        "The user works in another window while the app is next to it, behind it or minimized. No \
         action may change the active window, the keyboard focus, the pointer, the window order, \
         the clipboard or the selection, not even for a moment, and no screen reader may start.",
    );
    let apps: Vec<String> = Toolkit::ALL
        .into_iter()
        .map(|toolkit| format!("a {} window", toolkit.name()))
        .chain(APP_ACTIONS.iter().map(|app_actions| app_actions.app.name()))
        .collect();
    summary.fact("apps", apps.join(", "));
    summary.fact("actions", tally.actions);
    for (effect, count) in &tally.by_effect {
        summary.fact(format!("actions with the effect {effect}"), count);
    }
    for (what, count) in &tally.disturbances {
        summary.fact(format!("actions that changed: {what}"), count);
    }
    summary.failures = tally.failures;
    summary
}
