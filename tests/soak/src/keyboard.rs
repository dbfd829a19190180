//! `soak keyboard`: creates and removes a second keyboard without disturbing apps or the user.

use std::time::{Duration, Instant};

use harness::actions::answer::Answer;
use harness::actions::user::SimulatedUser;
use harness::inspect::{is_running, wait_until};
use harness::{App, Outcome, Program, TestDesktop};
use x11rb::protocol::xinput::{ConnectionExt as _, DeviceType};

use crate::summary::Summary;
use crate::timing::{APP_START_DURATION, TYPED_TEXT_TIMEOUT};

/// Apps and the text field that the user types into. `None` means that the app focuses a field by
/// itself.
const APPS_AND_FIELDS: [(App, Option<&str>); 10] = [
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

/// Keys without side effects.
const KEYS: [&str; 3] = ["Home", "End", "shift"];

/// Apps that start while second keyboards are created and removed.
const STARTED_APPS: [App; 4] =
    [App::Gtk3Demo, App::Gtk4WidgetFactory, App::Featherpad, App::Gtk3WidgetFactory];

struct RunningApp {
    app: App,
    field: Option<&'static str>,
    program: Program,
}

/// Types on a second keyboard, in each app in turn.
pub(crate) fn run(cycles: usize, seed: u64) -> Summary {
    let desktop = TestDesktop::new();
    let mut apps: Vec<RunningApp> =
        APPS_AND_FIELDS.map(|(app, field)| start(&desktop, app, field)).into();
    let mut summary = Summary::new(
        "keyboard",
        format!("cargo xtask soak keyboard --cycles {cycles} --seed {seed}"),
        "A second keyboard is created, used and removed for each app in turn, then while other \
         apps start. No app may exit, the user's active window, keyboard focus, pointer, window \
         order and selections may not change, no second keyboard may remain, and every app must \
         still receive the real keyboard.",
    );
    let progress = crate::progress(cycles);
    check_real_keyboard(&desktop, &apps, "47061", &mut summary);
    let mut user = SimulatedUser::new(&desktop, "Mousepad");
    user.arrange(harness::actions::Situation::Background);
    let mut times: Vec<Duration> = Vec::new();
    for cycle in 0..cycles {
        let (at, key) = (cycle % apps.len(), KEYS[cycle / apps.len() % KEYS.len()]);
        let before = user.state();
        let (name, pid) = (apps[at].app.name(), apps[at].program.pid_text());
        let outcome = desktop.deskhand(&["key", key, "--app", &pid, "--format", "json"]);
        times.push(outcome.elapsed);
        let mut fail = |what: &str| {
            summary.failures.push(format!("cycle {cycle}, {key} to {name}: {what}"));
        };
        if Answer::from_outcome(&outcome).word() != "unverified"
            || !outcome.text().contains("second keyb")
        {
            fail(&format!("{outcome}"));
        }
        for what in user.disturbances_since(&before) {
            fail(what);
        }
        if master_keyboards(&desktop) != 1 {
            fail("a second keyboard remained");
        }
        let dead: Vec<usize> = (0..apps.len()).filter(|at| !is_alive(&apps[*at])).collect();
        for at in dead {
            fail(&format!("{} exited", apps[at].app.name()));
            let RunningApp { app, field, .. } = apps[at];
            apps[at] = start(&desktop, app, field);
        }
        user.restore();
        progress.inc(1);
    }
    drop(user);
    let (started, second_keyboards) =
        start_apps_while_typing(&desktop, &apps, cycles / 10, &mut summary);
    progress.finish_and_clear();
    check_real_keyboard(&desktop, &apps, "58172", &mut summary);
    times.sort_unstable();
    let names: Vec<String> = apps.iter().map(|one| one.app.name()).collect();
    summary.fact("apps", names.join(", "));
    summary.fact("second keyboards", times.len());
    summary.fact("apps started while second keyboards were created and removed", started);
    summary.fact("second keyboards during these starts", second_keyboards);
    let at = |share: usize| times.get(times.len() * share / 100).map_or(0, Duration::as_millis);
    summary.fact("command time, p50 and p95, ms", format!("{} and {}", at(50), at(95)));
    summary
}

/// Starts apps while second keyboards are created and removed. Returns the number of starts and of
/// keyboards.
fn start_apps_while_typing(
    desktop: &TestDesktop,
    apps: &[RunningApp],
    starts: usize,
    summary: &mut Summary,
) -> (usize, usize) {
    let mut keyboards = 0;
    for (at, app) in STARTED_APPS.iter().cycle().take(starts).enumerate() {
        let mut program = desktop.launch(*app);
        let started = Instant::now();
        let others = apps.iter().filter(|one| !matches!(one.app, App::Chromium(_)));
        for running in others.cycle().take_while(|_| started.elapsed() < APP_START_DURATION) {
            let pid = running.program.pid_text();
            let outcome = desktop.deskhand(&["key", KEYS[0], "--app", &pid, "--format", "json"]);
            keyboards += usize::from(Answer::from_outcome(&outcome).word() == "unverified");
        }
        if !program.is_alive() {
            summary.failures.push(format!("{} exited during start {at}", app.name()));
        }
    }
    (starts, keyboards)
}

fn start(desktop: &TestDesktop, app: App, field: Option<&'static str>) -> RunningApp {
    let program = if app == App::Xterm { desktop.launch(app) } else { desktop.start(app) };
    RunningApp { app, field, program }
}

fn is_alive(running: &RunningApp) -> bool {
    is_running(running.program.pid())
}

/// Types a number with the real keyboard into every app and records each app that does not receive
/// it.
fn check_real_keyboard(
    desktop: &TestDesktop,
    apps: &[RunningApp],
    number: &str,
    summary: &mut Summary,
) {
    let input = desktop.real_input();
    for running in apps {
        let RunningApp { app, field, program } = running;
        let pid = program.pid_text();
        let inspector = desktop.window_inspector();
        let window = inspector.windows_of(program.pid())[0];
        let is_active = wait_until(|| {
            let wanted = window.to_string();
            Outcome::of(desktop.command("wmctrl").args(["-i", "-a", &wanted])).expect_ok();
            std::thread::sleep(Duration::from_millis(300));
            inspector.active() == window
        });
        assert!(is_active, "{} cannot be activated", app.name());
        if let Some(field) = field {
            let found =
                desktop.deskhand(&["find", field, "--app", &pid, "--format", "json"]).json();
            let number = |part: &str, at: usize| {
                i32::try_from(found[part][at].as_i64().unwrap_or_default()).unwrap_or_default()
            };
            let middle = |axis| number("position", axis) + number("size", axis) / 2;
            input.click((middle(0), middle(1)));
        }
        let folder = desktop.info().home.join(number);
        if *app == App::Xterm {
            input.type_text(&format!("mkdir {number}"));
            const RETURN: u32 = 0xff0d;
            input.press(RETURN);
        } else {
            input.type_text(number);
        }
        let arguments = ["tree", "--app", &pid, "--flat", "--hidden", "--format", "json"];
        let end = Instant::now() + TYPED_TEXT_TIMEOUT;
        let tree_shows_text = || desktop.deskhand(&arguments).text().contains(number);
        let shows = || if *app == App::Xterm { folder.exists() } else { tree_shows_text() };
        while !shows() {
            if Instant::now() > end {
                summary.failures.push(format!("{} did not receive {number}", app.name()));
                break;
            }
            std::thread::sleep(Duration::from_millis(100));
        }
    }
}

/// Returns the number of master keyboards.
fn master_keyboards(desktop: &TestDesktop) -> usize {
    const EVERY_MASTER: u16 = 1;
    let found = desktop.info().connect_x11().ok().and_then(|x| {
        x.xinput_xi_query_version(2, 2).ok()?.reply().ok()?;
        x.xinput_xi_query_device(EVERY_MASTER).ok()?.reply().ok()
    });
    let keyboard = |one: &DeviceType| *one == DeviceType::MASTER_KEYBOARD;
    found.map_or(0, |found| found.infos.iter().filter(|one| keyboard(&one.type_)).count())
}
