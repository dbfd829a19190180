//! Calls end before their deadline whatever an app does, and the app still responds afterwards.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::process::Command;
use std::time::{Duration, Instant};

use deskhand_linux::private::ComponentKind;
use harness::{App, Outcome, Program, TestDesktop, Tree};
use rustix::process::{Pid, Signal, kill_process};

/// The default read timeout of 2 seconds, plus half a second for process start and output.
const READ_LIMIT: Duration = Duration::from_millis(2500);

fn read_tree(stage: &TestDesktop, program: &Program) -> Outcome {
    read_pid(stage, &program.pid_text())
}

fn read_pid(stage: &TestDesktop, pid: &str) -> Outcome {
    stage.deskhand(&["tree", "--app", pid, "--format", "json", "--flat"])
}

/// Fails unless a call ended in time, with a result or an error with one of these codes.
fn assert_bounded(outcome: &Outcome, codes: &[&str]) {
    assert!(outcome.elapsed < READ_LIMIT, "{outcome}");
    match outcome.code {
        Some(0) => {
            outcome.json();
        }
        _ => {
            let error = outcome.error();
            let code = error["code"].as_str().unwrap_or_default().to_owned();
            assert!(codes.contains(&code.as_str()), "{outcome}");
            assert!(error["hint"].is_string(), "{outcome}");
        }
    }
}

#[test]
fn frozen_app_times_out_and_other_apps_are_read_quickly() {
    let stage = TestDesktop::new();
    for app in [App::Mousepad, App::Kcalc, App::Gtk4Demo] {
        let neighbour = stage.start(App::Fixture("gtk3_passwords.py", &[]));
        let frozen = stage.start(app);
        let count = stage.tree(&frozen).elements.len();
        frozen.signal(Signal::STOP);

        let outcome = read_tree(&stage, &frozen);
        assert_bounded(&outcome, &["timeout"]);
        if outcome.code == Some(0) {
            let tree: Tree = serde_json::from_value(outcome.json()).unwrap();
            assert!(tree.notice("not_responding").is_some(), "{}", tree.summary());
        }
        assert_bounded(
            &stage.deskhand(&["find", "x", "--app", &frozen.pid_text(), "--format", "json"]),
            &["timeout"],
        );

        let apps = stage.deskhand(&["apps", "--format", "json"]);
        assert!(apps.elapsed < Duration::from_millis(1000), "{apps}");
        let rows = apps.json();
        let row = |pid: u32| {
            let mut rows = rows.as_array().unwrap().iter();
            rows.find(|row| row["pid"] == pid).unwrap_or_else(|| panic!("{pid}: {apps}"))
        };
        assert_eq!(row(frozen.pid())["accessible"], false, "{apps}");
        assert_eq!(row(neighbour.pid())["accessible"], true, "{apps}");

        let healthy = read_tree(&stage, &neighbour);
        assert!(healthy.elapsed < Duration::from_millis(1200), "{healthy}");
        assert!(healthy.json()["elements"].as_array().unwrap().len() > 5);
        let windows = stage.deskhand(&["windows", "--format", "json"]);
        assert!(windows.elapsed < Duration::from_millis(1500), "{windows}");
        assert!(windows.json().as_array().unwrap().len() >= 2, "{windows}");

        frozen.signal(Signal::CONT);
        let tree = stage.until(&frozen, "answering again", |tree| tree.notices.is_empty());
        assert!(tree.elements.len() * 10 >= count * 9, "{} of {count}", tree.elements.len());
    }
}

#[test]
fn app_killed_during_a_read_gives_a_result_or_a_clear_error() {
    let stage = TestDesktop::new();
    let apps = [App::Mousepad, App::Kcalc, App::GnomeCalculator, App::Gtk3WidgetFactory];
    let mut ended = Vec::new();
    for round in 0..20_u64 {
        let mut app = stage.start_unread(apps[round as usize % apps.len()]);
        // The kill happens at different times: before the first request up to after the last one.
        let wait = Duration::from_millis(round * round % 23 * 8);
        let pid = app.pid_text();
        let outcome = std::thread::scope(|scope| {
            let reader = scope.spawn(|| read_pid(&stage, &pid));
            std::thread::sleep(wait);
            let pid = Pid::from_raw(app.pid().cast_signed()).unwrap();
            kill_process(pid, Signal::KILL).unwrap();
            reader.join().unwrap()
        });
        assert_bounded(&outcome, &["gone", "broken", "app_not_running", "timeout"]);
        ended.push(outcome.code);
        app.end();
    }
    assert!(ended.contains(&Some(1)), "no read was interrupted: {ended:?}");
}

fn assert_responds(app: &mut Program) {
    let started = Instant::now();
    app.write_line("ping");
    let answer = app.next_line(Duration::from_secs(2));
    assert_eq!(answer.as_deref(), Some("pong"), "after {:?}", started.elapsed());
}

#[test]
fn gtk3_list_of_100_000_rows_is_sampled_and_the_app_responds() {
    let stage = TestDesktop::new();
    let mut app = stage.start_unread(App::Fixture("gtk3_long_list.py", &[]));
    let pid = app.pid_text();
    // The reply must be in time even while GTK measures the list.
    assert_bounded(&read_tree(&stage, &app), &["timeout"]);
    std::thread::sleep(Duration::from_secs(3));
    let before = app.resident_mb();
    for _ in 0..3 {
        let outcome = read_tree(&stage, &app);
        assert!(outcome.elapsed < READ_LIMIT, "{outcome}");
        let tree: Tree = serde_json::from_value(outcome.json()).unwrap();
        let list = tree.elements.iter().max_by_key(|one| one.child_count).unwrap();
        assert!(list.child_count > 200_000, "{list:?}");
        assert_eq!(list.cut.as_deref(), Some("many"));
        let rows = tree.children(list).count();
        assert!((20..=1000).contains(&rows), "{rows} rows");
        assert!(tree.find(|one| one.title == "Row 0").is_some(), "{}", tree.summary());
        assert_responds(&mut app);
    }
    let text = stage.deskhand(&["tree", "--app", &pid]);
    assert!(text.elapsed < READ_LIMIT, "{text}");
    let found = stage.deskhand(&["find", "role:button Refresh", "--app", &pid, "--format", "json"]);
    assert!(found.elapsed < READ_LIMIT, "{found}");
    let list = stage.tree(&app).elements.into_iter().max_by_key(|one| one.child_count).unwrap();
    let page = ["tree", "--app", &pid, "--root", &list.reference, "--from", "100000"];
    let page = stage.deskhand(&[&page[..], &["--flat", "--format", "json"]].concat());
    assert!(page.elapsed < READ_LIMIT, "{page}");
    assert!(page.text().contains("Row 4999") || page.text().contains("Row 50000"), "{page}");
    assert_responds(&mut app);
    let after = app.resident_mb();
    assert!(after < before + 60, "memory went from {before} to {after} MB");
    let outline = text.expect_ok().text().replace([',', '\u{a0}', '\u{202f}'], "");
    // The total number of rows, or the number of omitted rows.
    let numbers =
        outline.split(|c: char| !c.is_ascii_digit()).filter_map(|n| n.parse::<u32>().ok());
    let is_row_count = |n: &u32| (199_000..=200_002).contains(n) || (99_000..=100_000).contains(n);
    assert!(
        numbers.into_iter().any(|n| is_row_count(&n)),
        "the outline must state the number of rows: {text}"
    );
    assert!(outline.contains("from"), "the outline must state how to read more rows: {text}");
}

#[test]
fn qt6_table_of_100_000_rows_is_sampled_and_the_app_responds() {
    let stage = TestDesktop::new();
    let app = stage.start_unread(App::Fixture("qt6_dialog.py", &[]));
    std::thread::sleep(Duration::from_millis(500));
    for _ in 0..3 {
        let outcome = read_tree(&stage, &app);
        assert!(outcome.elapsed < READ_LIMIT, "{outcome}");
        let tree: Tree = serde_json::from_value(outcome.json()).unwrap();
        let table = tree.elements.iter().max_by_key(|one| one.child_count).unwrap();
        assert!(table.child_count >= 200_000, "{table:?}");
        assert_eq!(table.cut.as_deref(), Some("many"));
        assert!(tree.find(|one| one.title == "Row 0").is_some(), "{}", tree.summary());
    }
    let save = stage.tree(&app);
    let save = save.named("button", "Save").bounds.unwrap();
    stage.real_input().click(save.centre());
    app.wait_for("pressed Save");
}

#[test]
fn chromium_page_of_100_000_rows_is_sampled_and_the_app_responds() {
    let stage = TestDesktop::new();
    let app = stage.start_unread(App::Chromium("hundred_thousand.html"));
    let end = Instant::now() + Duration::from_secs(100);
    // The page takes up to a minute to build. Every read during this time ends in time.
    let tree = loop {
        let outcome = read_tree(&stage, &app);
        assert_bounded(&outcome, &["timeout"]);
        if outcome.code == Some(0) {
            let tree: Tree = serde_json::from_value(outcome.json()).unwrap();
            let rows = tree.elements.iter().map(|one| one.child_count).max().unwrap();
            if rows >= 100_000 && tree.find(|one| one.title == "Row 0").is_some() {
                break tree;
            }
        }
        assert!(Instant::now() < end, "the table did not appear: {outcome}");
        std::thread::sleep(Duration::from_millis(500));
    };
    let table = tree.elements.iter().max_by_key(|one| one.child_count).unwrap();
    assert_eq!(table.cut.as_deref(), Some("many"), "{table:?}");
    let button = tree.named("button", "Refresh").bounds.unwrap();
    stage.real_input().click(button.centre());
    let end = Instant::now() + Duration::from_secs(20);
    loop {
        let find = ["find", "Refreshed", "--strategy", "exact", "--app", &app.pid_text()];
        let outcome = stage.deskhand(&[&find[..], &["--format", "json", "--all"]].concat());
        assert_bounded(&outcome, &["timeout", "no_match"]);
        if outcome.code == Some(0) && outcome.json().as_array().is_some_and(|hits| !hits.is_empty())
        {
            break;
        }
        assert!(Instant::now() < end, "the page does not react to a click: {outcome}");
    }
}

/// Kills each part of the accessibility service.
#[test]
fn lost_accessibility_service_is_a_clear_error_in_time() {
    for part in [ComponentKind::A11yRegistry, ComponentKind::A11yBus, ComponentKind::A11yLauncher] {
        let stage = TestDesktop::new();
        let app = stage.start_unread(App::Fixture("gtk3_passwords.py", &[]));
        let lost = stage.info().component(part).unwrap_or_else(|| panic!("no {part:?}"));
        let pid = Pid::from_raw(lost.process.pid.cast_signed()).unwrap();
        kill_process(pid, Signal::KILL).unwrap();
        std::thread::sleep(Duration::from_millis(300));
        // Without a registry it is unknown which apps have a tree.
        let codes = ["no_accessibility", "broken", "gone", "timeout", "app_not_running", "no_tree"];
        for _ in 0..2 {
            assert_bounded(&read_tree(&stage, &app), &codes);
            assert_bounded(&stage.deskhand(&["apps", "--format", "json"]), &codes);
        }
        let check = stage.deskhand(&["check", "--format", "json"]);
        assert!(check.code.is_some(), "{check}");
        assert!(check.elapsed < Duration::from_secs(10), "{check}");
        let windows = stage.deskhand(&["windows", "--format", "json"]);
        assert!(windows.elapsed < READ_LIMIT, "{windows}");
    }
}

/// A restarted registry is used again.
#[test]
fn new_apps_are_found_after_a_registry_restart() {
    let stage = TestDesktop::new();
    let first = stage.start_unread(App::Fixture("gtk3_passwords.py", &[]));
    let lost = stage.info().component(ComponentKind::A11yRegistry).unwrap().process.pid;
    let program = std::fs::read_link(format!("/proc/{lost}/exe")).unwrap();
    kill_process(Pid::from_raw(lost.cast_signed()).unwrap(), Signal::KILL).unwrap();
    std::thread::sleep(Duration::from_millis(300));
    let mut command = Command::new(program);
    stage.info().apply(&mut command);
    let _registry = Program::start(command.env("AT_SPI_BUS_ADDRESS", &stage.info().a11y_bus));
    std::thread::sleep(Duration::from_millis(700));
    let second = stage.start_unread(App::Mousepad);
    assert_ne!(first.pid(), second.pid());
    let tree = stage.tree(&second);
    assert!(tree.elements.len() >= App::Mousepad.at_least(), "{}", tree.summary());
}

/// An explicit timeout is respected.
#[test]
fn explicit_timeouts_are_respected() {
    let stage = TestDesktop::new();
    let app = stage.start(App::Gtk3Demo);
    app.signal(Signal::STOP);
    for seconds in [0.2, 0.5, 1.0, 4.0] {
        let pid = app.pid_text();
        let timeout = seconds.to_string();
        let read_tree = ["tree", "--app", &pid, "--format", "json", "--timeout", &timeout];
        let outcome = stage.deskhand(&read_tree);
        let elapsed = outcome.elapsed.as_secs_f64();
        assert!(elapsed < seconds + 0.5, "{outcome}");
        assert_eq!(outcome.error()["code"], "timeout", "{outcome}");
    }
    app.signal(Signal::CONT);
}
