//! `soak keyboard`: a second keyboard comes and goes, and nobody is the worse for it.

use std::time::{Duration, Instant};

use harness::actions::answer::Answer;
use harness::actions::sentinel::Sentinel;
use harness::desk::{runs, until};
use harness::{App, Outcome, Program, Stage};
use x11rb::protocol::xinput::{ConnectionExt as _, DeviceType};

use crate::summary::Summary;

/// How long what a person typed may take to be told by a busy app.
const HEARD: Duration = Duration::from_secs(10);

/// Apps and the field of each a person types into; where none is named it has the keyboard already.
const FLEET: [(App, Option<&str>); 10] = [
    (App::Mousepad, None),
    (App::GnomeCalculator, None),
    (App::Gtk4Demo, Some("role:textbox")),
    (App::Kcalc, None),
    (App::Featherpad, None),
    (App::Chromium("form.html"), Some("role:textbox title:Name")),
    (App::Firefox("form.html"), Some("role:textbox title:Name")),
    (App::Writer, None),
    (App::SwingForm, Some("role:textbox title:Name")),
    (App::Xterm, None),
];

/// Keys that do no harm anywhere.
const KEYS: [&str; 3] = ["Home", "End", "shift"];

/// Apps that are started while second keyboards come and go.
const NEWCOMERS: [App; 4] =
    [App::Gtk3Demo, App::Gtk4WidgetFactory, App::Featherpad, App::Gtk3WidgetFactory];

/// How long such an app is left alone.
const TO_START: Duration = Duration::from_secs(2);

struct Member {
    app: App,
    field: Option<&'static str>,
    program: Program,
}

/// Types on the second keyboard so many times, in each app in turn.
pub(crate) fn run(cycles: usize, seed: u64) -> Summary {
    let stage = Stage::new();
    let mut fleet: Vec<Member> = FLEET.map(|(app, field)| start(&stage, app, field)).into();
    let mut summary = Summary::new(
        "keyboard",
        format!("cargo xtask soak keyboard --cycles {cycles} --seed {seed}"),
        "A second keyboard is made, typed on and removed for one app of a running fleet after the \
         other, then while other apps start. No app may die of it, the person's active window, keyboard, pointer, stacking order \
         and selections may not change, no second keyboard may stay, and every app must hear the \
         person's own keyboard as before.",
    );
    let progress = crate::progress(cycles);
    deaf(&stage, &fleet, "47061", &mut summary);
    let mut sentinel = Sentinel::new(&stage, "Mousepad");
    sentinel.arrange(harness::actions::Situation::Background);
    let mut times: Vec<Duration> = Vec::new();
    for cycle in 0..cycles {
        let (at, key) = (cycle % fleet.len(), KEYS[cycle / fleet.len() % KEYS.len()]);
        let before = sentinel.scene();
        let (name, pid) = (fleet[at].app.name(), fleet[at].program.pid_text());
        let outcome = stage.deskhand(&["key", key, "--app", &pid, "--format", "json"]);
        times.push(outcome.elapsed);
        let mut broken = |what: &str| {
            summary.broken.push(format!("cycle {cycle}, {key} to {name}: {what}"));
        };
        if Answer::of(&outcome).word() != "unverified" || !outcome.text().contains("second keyb") {
            broken(&format!("{outcome}"));
        }
        for what in sentinel.disturbed(&before) {
            broken(what);
        }
        if masters(&stage) != 1 {
            broken("a second keyboard stayed");
        }
        let dead: Vec<usize> = (0..fleet.len()).filter(|at| !lives(&fleet[*at])).collect();
        for at in dead {
            broken(&format!("{} died", fleet[at].app.name()));
            let Member { app, field, .. } = fleet[at];
            fleet[at] = start(&stage, app, field);
        }
        sentinel.restore();
        progress.inc(1);
    }
    drop(sentinel);
    let (started, meanwhile) = newcomers(&stage, &fleet, cycles / 10, &mut summary);
    progress.finish_and_clear();
    deaf(&stage, &fleet, "58172", &mut summary);
    times.sort_unstable();
    let names: Vec<String> = fleet.iter().map(|one| one.app.name()).collect();
    summary.fact("apps", names.join(", "));
    summary.fact("second keyboards", times.len());
    summary.fact("apps started while more of them came and went", started);
    summary.fact("second keyboards meanwhile", meanwhile);
    let at = |share: usize| times.get(times.len() * share / 100).map_or(0, Duration::as_millis);
    summary.fact("a command, median and 95 of 100, ms", format!("{} and {}", at(50), at(95)));
    summary
}

/// Starts apps while second keyboards come and go; how many of both.
fn newcomers(
    stage: &Stage,
    fleet: &[Member],
    starts: usize,
    summary: &mut Summary,
) -> (usize, usize) {
    let mut keyboards = 0;
    for (at, app) in NEWCOMERS.iter().cycle().take(starts).enumerate() {
        let mut program = stage.launch(*app);
        let begun = Instant::now();
        let others = fleet.iter().filter(|one| !matches!(one.app, App::Chromium(_)));
        for member in others.cycle().take_while(|_| begun.elapsed() < TO_START) {
            let pid = member.program.pid_text();
            let outcome = stage.deskhand(&["key", KEYS[0], "--app", &pid, "--format", "json"]);
            keyboards += usize::from(Answer::of(&outcome).word() == "unverified");
        }
        if !program.is_alive() {
            summary.broken.push(format!("{} died at start {at}", app.name()));
        }
    }
    (starts, keyboards)
}

fn start(stage: &Stage, app: App, field: Option<&'static str>) -> Member {
    let program = if app == App::Xterm { stage.launch(app) } else { stage.start(app) };
    Member { app, field, program }
}

fn lives(member: &Member) -> bool {
    runs(member.program.pid())
}

/// Notes every app that does not hear a person type this number.
fn deaf(stage: &Stage, fleet: &[Member], number: &str, summary: &mut Summary) {
    let hand = stage.hand();
    for member in fleet {
        let Member { app, field, program } = member;
        let pid = program.pid_text();
        let desk = stage.desk();
        let window = desk.windows_of(program.pid())[0];
        let is_active = until(|| {
            let wanted = window.to_string();
            Outcome::of(stage.command("wmctrl").args(["-i", "-a", &wanted])).expect_ok();
            std::thread::sleep(Duration::from_millis(300));
            desk.active() == window
        });
        assert!(is_active, "{} cannot be activated", app.name());
        if let Some(field) = field {
            let found = stage.deskhand(&["find", field, "--app", &pid, "--format", "json"]).json();
            let number = |part: &str, at: usize| {
                i32::try_from(found[part][at].as_i64().unwrap_or_default()).unwrap_or_default()
            };
            let middle = |axis| number("position", axis) + number("size", axis) / 2;
            hand.click((middle(0), middle(1)));
        }
        let heard = stage.info().home.join(number);
        if *app == App::Xterm {
            hand.type_text(&format!("mkdir {number}"));
            const RETURN: u32 = 0xff0d;
            hand.press(RETURN);
        } else {
            hand.type_text(number);
        }
        let words = ["tree", "--app", &pid, "--flat", "--hidden", "--format", "json"];
        let end = Instant::now() + HEARD;
        let told = || stage.deskhand(&words).text().contains(number);
        let shows = || if *app == App::Xterm { heard.exists() } else { told() };
        while !shows() {
            if Instant::now() > end {
                summary.broken.push(format!("{} does not hear {number}", app.name()));
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

/// How many keyboards have a focus of their own.
fn masters(stage: &Stage) -> usize {
    const EVERY_MASTER: u16 = 1;
    let found = stage.info().connect_x11().ok().and_then(|x| {
        x.xinput_xi_query_version(2, 2).ok()?.reply().ok()?;
        x.xinput_xi_query_device(EVERY_MASTER).ok()?.reply().ok()
    });
    let keyboard = |one: &DeviceType| *one == DeviceType::MASTER_KEYBOARD;
    found.map_or(0, |found| found.infos.iter().filter(|one| keyboard(&one.type_)).count())
}
