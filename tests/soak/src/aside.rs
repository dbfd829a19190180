//! `soak aside`: actions in the background leave the person at the desk alone.

use std::collections::BTreeMap;

use deskhand_linux::private::MARK;
use harness::actions::sentinel::Sentinel;
use harness::actions::{Leg, Row, Situation, Toolkit, run as matrix};
use harness::{App, Stage};

use crate::leftovers;
use crate::summary::Summary;

/// The situations in which the person works in another window.
const BEHIND: [Situation; 3] = [Situation::Background, Situation::Covered, Situation::Minimized];

/// Programs that speak to a person who did not ask for it.
const SCREEN_READERS: [&str; 3] = ["orca", "speech-dispatch", "espeak"];

/// What is done to a real app, over and over.
struct Deed {
    app: App,
    /// A part of its window's title.
    title: &'static str,
    /// The words of the commands, in turn.
    words: &'static [&'static [&'static str]],
}

const DEEDS: [Deed; 5] = [
    Deed {
        app: App::Mousepad,
        title: "Mousepad",
        words: &[&["set", "role:text", "one"], &["type", " two", "--into", "role:text"]],
    },
    Deed {
        app: App::GnomeCalculator,
        title: "Calculator",
        words: &[&["click", "role:button title:7"], &["click", "role:button title:8"]],
    },
    Deed {
        app: App::Kcalc,
        title: "KCalc",
        words: &[&["click", "role:button title:7"], &["click", "role:button title:8"]],
    },
    Deed {
        app: App::Featherpad,
        title: "Untitled",
        words: &[&["set", "role:text", "one"], &["type", " two", "--into", "role:text"]],
    },
    Deed {
        app: App::Chromium("form.html"),
        title: "Form",
        words: &[
            &["click", "role:checkbox title:\"Send news\""],
            &["click", "role:button title:Send"],
        ],
    },
];

#[derive(Default)]
struct Tally {
    actions: usize,
    by_effect: BTreeMap<String, usize>,
    touched: BTreeMap<&'static str, usize>,
    broken: Vec<String>,
}

impl Tally {
    fn add(&mut self, what: &str, effect: &str, disturbed: &[&'static str]) {
        self.actions += 1;
        *self.by_effect.entry(effect.to_owned()).or_default() += 1;
        for one in disturbed {
            *self.touched.entry(one).or_default() += 1;
        }
        if !disturbed.is_empty() {
            self.broken.push(format!("{what}: {}", disturbed.join(", ")));
        }
    }
}

/// Acts at least so many times: every cell of the matrix behind another window, then real apps.
pub(crate) fn run(actions: usize, seed: u64) -> Summary {
    let progress = crate::progress(actions);
    let mut tally = Tally::default();
    for toolkit in Toolkit::ALL {
        progress.set_message(toolkit.name());
        let legs = BEHIND.map(|situation| Leg { situation, names: &[] });
        matrix(toolkit, &legs, |row: &Row| {
            tally.add(&row.to_string(), row.answer.word(), &row.disturbed);
            progress.inc(1);
        });
    }
    // Real apps get a fifth of all actions, and the rest when the matrix has too few.
    let left = actions.saturating_sub(tally.actions).max(actions / 5);
    for deed in &DEEDS {
        progress.set_message(deed.app.name());
        real(deed, left.div_ceil(DEEDS.len()), &mut tally, &progress);
    }
    progress.finish_and_clear();
    summarise(actions, seed, tally)
}

fn real(deed: &Deed, times: usize, tally: &mut Tally, progress: &indicatif::ProgressBar) {
    let stage = Stage::new();
    let program = stage.start(deed.app);
    let mut sentinel = Sentinel::new(&stage, deed.title);
    for (at, situation) in BEHIND.into_iter().enumerate() {
        sentinel.arrange(situation);
        for turn in (at..times).step_by(BEHIND.len()) {
            let words = deed.words[turn / BEHIND.len() % deed.words.len()];
            let before = sentinel.scene();
            let pid = program.pid_text();
            let outcome = stage.deskhand(&[words, &["--app", &pid, "--format", "json"]].concat());
            let answer = harness::actions::answer::Answer::of(&outcome);
            let disturbed = sentinel.disturbed(&before);
            let what = format!("{}, {}: {}", deed.app.name(), situation.name(), outcome.line);
            tally.add(&what, answer.word(), &disturbed);
            sentinel.restore();
            progress.inc(1);
        }
    }
    let desktop = leftovers::carrying(MARK, &stage.info().id);
    for reader in desktop.iter().filter_map(|pid| screen_reader(*pid)) {
        tally.broken.push(format!("{reader} was started"));
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
        "A person works in a window of their own, and the app acted on is beside it, under it or \
         minimized. No action may change the active window, the keyboard's owner, the pointer, the \
         order of the windows, the clipboard or the selection, not even for a moment, and no screen \
         reader may start.",
    );
    let apps: Vec<String> = Toolkit::ALL
        .into_iter()
        .map(|toolkit| format!("a window of {}", toolkit.name()))
        .chain(DEEDS.iter().map(|deed| deed.app.name()))
        .collect();
    summary.fact("apps", apps.join(", "));
    summary.fact("actions", tally.actions);
    for (effect, count) in &tally.by_effect {
        summary.fact(format!("of these answered {effect}"), count);
    }
    for (what, count) in &tally.touched {
        summary.fact(format!("actions that touched the {what}"), count);
    }
    summary.broken = tally.broken;
    summary
}
