//! Known quirks of toolkits, each tested with an app that shows it.
#![allow(clippy::unwrap_used, reason = "tests")]

pub(crate) mod passwords;

use std::time::Duration;

use harness::{App, TestDesktop, Tree};

fn read_tree(stage: &TestDesktop, pid: &str) -> (Tree, Duration) {
    let tree_args = ["tree", "--app", pid, "--flat", "--format", "json", "--timeout", "10"];
    let outcome = stage.deskhand(&tree_args);
    (serde_json::from_value(outcome.json()).unwrap(), outcome.elapsed)
}

/// Calc reports 2³¹−1 children for a sheet. Requesting all of them would exhaust the memory of the
/// app.
#[test]
fn libreoffice_calc_sheet_is_sampled_in_time() {
    let stage = TestDesktop::new();
    let mut app = stage.start(App::Calc);
    let before = app.resident_mb();
    let pid = app.pid_text();
    let text = stage.deskhand(&["tree", "--app", &pid]);
    text.expect_ok();
    assert!(text.elapsed < Duration::from_millis(2500), "{text}");
    let bounded = stage.deskhand(&["tree", "--app", &pid, "--format", "json"]);
    assert!(bounded.elapsed < Duration::from_millis(3000), "{:?}", bounded.elapsed);
    let (tree, _) = read_tree(&stage, &pid);
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
    let (again, _) = read_tree(&stage, &pid);
    assert!(again.elements.len() * 10 > tree.elements.len() * 9, "{}", again.elements.len());
    let after = app.resident_mb();
    assert!(after < before + 300, "memory went from {before} to {after} MB");
    assert!(app.is_alive() || after > 0);
}

/// GTK 4 fills its cache only during a walk. It contains 8 to 16 elements at first.
#[test]
fn gtk4_tree_is_complete_at_the_first_read() {
    for app in [App::GnomeCalculator, App::Gtk4WidgetFactory, App::Gtk4Demo] {
        let stage = TestDesktop::new();
        let program = stage.start_unread(app);
        // The window appears before its content is complete.
        std::thread::sleep(Duration::from_millis(1500));
        let (first, _) = read_tree(&stage, &program.pid_text());
        let plain = stage.plain_walk(program.pid());
        let (second, _) = read_tree(&stage, &program.pid_text());
        let counts = [first.elements.len(), plain.len(), second.elements.len()];
        assert!(counts[0] >= app.at_least(), "{}: {counts:?}", app.name());
        assert_eq!(
            counts[0],
            counts[1],
            "{}: the first read differs from the independent walk",
            app.name()
        );
        assert_eq!(
            counts[1],
            counts[2],
            "{}: the second read differs from the independent walk",
            app.name()
        );
    }
}

/// Qt returns an empty list for `GetItems`.
#[test]
fn qt_tree_without_cache_is_complete_at_the_first_read() {
    for app in [App::Kcalc, App::Featherpad, App::Designer] {
        let stage = TestDesktop::new();
        let program = stage.start_unread(app);
        std::thread::sleep(Duration::from_millis(1500));
        let (first, _) = read_tree(&stage, &program.pid_text());
        let plain = stage.plain_walk(program.pid());
        let counts = [first.elements.len(), plain.len()];
        assert!(counts[0] >= app.at_least(), "{}: {counts:?}", app.name());
        assert_eq!(counts[0], counts[1], "{}", app.name());
    }
}

/// Chromium without accessibility may have four elements and no content. Some builds fill their
/// tree on the first request. An incomplete tree must come with a notice.
#[test]
fn chromium_without_the_flag_is_complete_or_has_a_notice() {
    let stage = TestDesktop::new();
    let program = stage.start_with(App::ChromiumUnaided("form.html"), |command| {
        // The private desktop sets this variable for all programs; a normal desktop does not.
        command.env_remove("ACCESSIBILITY_ENABLED");
    });
    std::thread::sleep(Duration::from_secs(2));
    let pid = program.pid_text();
    let (tree, _) = read_tree(&stage, &pid);
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
fn chromium_with_accessibility_has_no_notice() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Chromium("form.html"));
    let (tree, _) = read_tree(&stage, &program.pid_text());
    assert!(tree.notices.is_empty(), "{:?}", tree.notices);
}

/// GTK 4.8 sets neither SHOWING nor ENABLED.
#[test]
fn gtk4_visible_buttons_are_neither_hidden_nor_disabled() {
    let stage = TestDesktop::new();
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
fn gtk4_hidden_buttons_are_not_reported_as_showing() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Gtk4WidgetFactory);
    let (tree, _) = read_tree(&stage, &program.pid_text());
    let showing = tree.elements.iter().filter(|one| one.is("showing"));
    let (mut inside, mut outside) = (0, Vec::new());
    let window = tree.find(|one| one.kind == "window").and_then(|one| one.bounds).unwrap();
    for one in showing.filter(|one| one.kind == "button") {
        match one.bounds {
            Some(bounds) if window.contains(bounds.centre()) => inside += 1,
            bounds => outside.push((one.title.clone(), bounds)),
        }
    }
    assert!(inside > 5, "only {inside} buttons are inside the window");
    assert!(outside.len() < inside, "reported as showing but outside the window: {outside:?}");
}
