//! The traps of real toolkits, each on the app that sets it.
#![allow(clippy::unwrap_used, reason = "tests")]

pub(crate) mod secrets;

use std::time::Duration;

use harness::{App, Stage, Tree};

fn first_look(stage: &Stage, pid: &str) -> (Tree, Duration) {
    let look = ["tree", "--app", pid, "--flat", "--format", "json", "--timeout", "10"];
    let outcome = stage.deskhand(&look);
    (serde_json::from_value(outcome.json()).unwrap(), outcome.elapsed)
}

/// Calc says its sheet has 2³¹−1 children; asking for them costs gigabytes and the app.
#[test]
fn libreoffice_calc_has_an_endless_sheet_and_is_read_in_time() {
    let stage = Stage::new();
    let mut app = stage.start(App::Calc);
    let before = app.resident_mb();
    let pid = app.pid_text();
    let text = stage.deskhand(&["tree", "--app", &pid]);
    text.expect_ok();
    assert!(text.elapsed < Duration::from_millis(2500), "{text}");
    let bounded = stage.deskhand(&["tree", "--app", &pid, "--format", "json"]);
    assert!(bounded.elapsed < Duration::from_millis(3000), "{:?}", bounded.elapsed);
    let (tree, _) = first_look(&stage, &pid);
    let sheet = tree.elements.iter().max_by_key(|one| one.child_count).unwrap();
    assert!(sheet.child_count > 1_000_000_000, "{sheet:?}");
    assert_eq!(sheet.cut.as_deref(), Some("many"), "{sheet:?}");
    let cells: Vec<_> = tree.children(sheet).collect();
    assert!((20..=1000).contains(&cells.len()), "{} cells", cells.len());
    for name in ["A1", "B1", "A2"] {
        assert!(cells.iter().any(|cell| cell.title.contains(name)), "{name}: {:?}", cells.first());
    }
    assert!(!tree.elements.iter().any(|one| one.cut.as_deref() == Some("deadline")));
    assert!(text.text().contains("more") || text.text().contains("of 2"), "{text}");
    let paged = ["tree", "--app", &pid, "--root", &sheet.reference, "--from", "5000000"];
    let page =
        stage.deskhand(&[&paged[..], &["--flat", "--format", "json", "--timeout", "10"]].concat());
    let page: Tree = serde_json::from_value(page.json()).unwrap();
    assert!(page.elements.len() > 10, "{}", page.summary());
    let (again, _) = first_look(&stage, &pid);
    assert!(again.elements.len() * 10 > tree.elements.len() * 9, "{}", again.elements.len());
    let after = app.resident_mb();
    assert!(after < before + 300, "memory went from {before} to {after} MB");
    assert!(app.is_alive() || after > 0);
}

/// GTK 4 fills its cache only while it is walked: 8 to 16 elements are in it at first.
#[test]
fn gtk4_is_complete_at_the_first_look() {
    for app in [App::GnomeCalculator, App::Gtk4WidgetFactory, App::Gtk4Demo] {
        let stage = Stage::new();
        let program = stage.start_unseen(app);
        // The window is there before all of its content is.
        std::thread::sleep(Duration::from_millis(1500));
        let (first, _) = first_look(&stage, &program.pid_text());
        let plain = stage.plain_walk(program.pid());
        let (second, _) = first_look(&stage, &program.pid_text());
        let counts = [first.elements.len(), plain.len(), second.elements.len()];
        assert!(counts[0] >= app.at_least(), "{}: {counts:?}", app.name());
        assert_eq!(counts[0], counts[1], "{}: first look and plain walk", app.name());
        assert_eq!(counts[1], counts[2], "{}: a later look", app.name());
    }
}

/// Qt answers GetItems with nothing at all.
#[test]
fn qt_has_no_cache_and_is_complete_at_the_first_look() {
    for app in [App::Kcalc, App::Featherpad, App::Designer] {
        let stage = Stage::new();
        let program = stage.start_unseen(app);
        std::thread::sleep(Duration::from_millis(1500));
        let (first, _) = first_look(&stage, &program.pid_text());
        let plain = stage.plain_walk(program.pid());
        let counts = [first.elements.len(), plain.len()];
        assert!(counts[0] >= app.at_least(), "{}: {counts:?}", app.name());
        assert_eq!(counts[0], counts[1], "{}", app.name());
    }
}

/// A Chromium that nobody told to be accessible may have four elements and no content. Some builds
/// fill their tree as soon as they are asked; what must never come is an empty tree without a word.
#[test]
fn a_chromium_without_the_flag_is_complete_or_told_to_need_it() {
    let stage = Stage::new();
    let program = stage.start_changed(App::ChromiumUnaided("form.html"), |command| {
        // The desktop sets it for all its programs, which on a person's desktop nobody does.
        command.env_remove("ACCESSIBILITY_ENABLED");
    });
    std::thread::sleep(Duration::from_secs(2));
    let pid = program.pid_text();
    let (tree, _) = first_look(&stage, &pid);
    let text = stage.deskhand(&["tree", "--app", &pid]).expect_ok().text();
    let flag = "--force-renderer-accessibility";
    match tree.find(|one| one.title == "Send news") {
        Some(_) => assert!(tree.notices.is_empty() && !text.contains(flag), "{text}"),
        None => {
            let notice = tree.notice("accessibility_off");
            let notice = notice.unwrap_or_else(|| panic!("{}", tree.summary()));
            assert!(notice.message.contains(flag), "{}", notice.message);
            assert!(text.contains(flag), "{text}");
        }
    }
}

#[test]
fn a_chromium_that_can_be_read_is_not_said_to_be_switched_off() {
    let stage = Stage::new();
    let program = stage.start(App::Chromium("form.html"));
    let (tree, _) = first_look(&stage, &program.pid_text());
    assert!(tree.notices.is_empty(), "{:?}", tree.notices);
}

/// GTK 4.8 sets neither SHOWING nor ENABLED.
#[test]
fn gtk4_buttons_a_person_sees_are_neither_hidden_nor_disabled() {
    let stage = Stage::new();
    let program = stage.start(App::GnomeCalculator);
    let pid = program.pid_text();
    let text = stage.deskhand(&["tree", "--app", &pid, "--max-tokens", "0"]).expect_ok().text();
    for digit in 0..=9 {
        let query = format!("role:button title:{digit}");
        let outcome = stage.deskhand(&["find", &query, "--app", &pid, "--format", "json", "--all"]);
        let hits = outcome.json();
        let visible = hits.as_array().unwrap().iter().find(|hit| hit["visible"] == true);
        let hit = visible.unwrap_or_else(|| panic!("digit {digit}: {hits}"));
        assert_eq!(hit["enabled"], true, "{hit}");
        let reference = hit["element_ref"].as_str().unwrap();
        let shown = text.lines().find(|line| line.split(' ').any(|word| word == reference));
        let shown = shown.unwrap_or_else(|| panic!("{reference} is not in the outline:\n{text}"));
        assert!(!shown.contains("disabled") && !shown.contains("hidden"), "{shown}");
    }
}

#[test]
fn a_gtk4_window_part_that_is_not_shown_is_not_said_to_be_visible() {
    let stage = Stage::new();
    let program = stage.start(App::Gtk4WidgetFactory);
    let (tree, _) = first_look(&stage, &program.pid_text());
    let placed = tree.elements.iter().filter(|one| one.is("showing"));
    let (mut inside, mut outside) = (0, Vec::new());
    let window = tree.find(|one| one.kind == "window").and_then(|one| one.bounds).unwrap();
    for one in placed.filter(|one| one.kind == "button") {
        match one.bounds {
            Some(bounds) if window.holds(bounds.centre()) => inside += 1,
            bounds => outside.push((one.title.clone(), bounds)),
        }
    }
    assert!(inside > 5, "{inside} buttons inside the window");
    assert!(outside.len() < inside, "showing, yet outside: {outside:?}");
}
