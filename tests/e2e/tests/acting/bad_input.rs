//! Invalid input produces a clear error or a correct answer. It never causes a panic and never
//! kills the app.
#![allow(clippy::unwrap_used, reason = "tests")]

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;

use harness::{App, Outcome, TestDesktop};

fn run_json(stage: &TestDesktop, arguments: &[&str]) -> Outcome {
    let mut all = arguments.to_vec();
    all.extend(["--format", "json"]);
    stage.deskhand(&all)
}

#[test]
fn each_kind_of_invalid_argument_has_its_own_error_code() {
    let stage = TestDesktop::new();
    let app = stage.start_unread(App::Fixture("gtk3_passwords.py", &[]));
    let pid = app.pid_text();
    let cases: &[(&[&str], &str)] = &[
        (&["tree", "--app", "no-such-app"], "app_not_running"),
        (&["tree", "--app", ""], "app_not_running"),
        (&["tree", "--app", "4294967295"], "app_not_running"),
        (&["windows", "--app", "no-such-app"], "app_not_running"),
        (&["watch", "--app", "no-such-app", "--duration", "1"], "app_not_running"),
        (&["find", "", "--app", &pid], "empty_query"),
        (&["find", "   ", "--app", &pid], "empty_query"),
        (&["find", "/(unclosed/", "--app", &pid], "bad_query"),
        (&["find", "(unclosed", "--strategy", "regex", "--app", &pid], "bad_query"),
        (&["find", "//button[@title=", "--app", &pid], "bad_query"),
        (&["find", "//[", "--strategy", "xpath", "--app", &pid], "bad_query"),
        (&["find", "role:no-such-role", "--app", &pid], "unknown_role"),
        (&["find", "e99999", "--app", &pid], "unknown_ref"),
        (&["attributes", "e99999", "--app", &pid], "unknown_ref"),
        (&["attributes", "", "--app", &pid], "empty_query"),
        (&["tree", "--root", "e99999", "--app", &pid], "unknown_ref"),
        (&["tree", "--root", "", "--app", &pid], "empty_query"),
        (&["find", "certainly no such element", "--app", &pid], "no_match"),
        (&["desktop", "down", "no-such-desktop"], "unknown_desktop"),
        (&["desktop", "env", "no-such-desktop"], "unknown_desktop"),
        (&["desktop", "up", "--size", "0x0"], "bad_size"),
        (&["desktop", "up", "--name", "Not A Name"], "bad_name"),
    ];
    for (arguments, code) in cases {
        let error = run_json(&stage, arguments).expect_error(code);
        assert!(
            error["hint"].as_str().is_some_and(|hint| !hint.is_empty()),
            "{arguments:?}: {error}"
        );
    }
}

#[test]
fn numbers_out_of_range_are_usage_errors() {
    let stage = TestDesktop::new();
    let usage: &[&[&str]] = &[
        &["tree", "--depth", "-1"],
        &["tree", "--depth=-1"],
        &["tree", "--depth", "many"],
        &["tree", "--depth", "99999999999999999999"],
        &["tree", "--max-tokens=-5"],
        &["find", "x", "--limit", "0"],
        &["watch", "--duration", "0"],
        &["watch", "--count=-1"],
        &["tree", "--timeout", "soon"],
        &["find"],
        &["find", "x", "--strategy", "guess"],
        &["watch", "--events", "no_such_event"],
        &["apps", "--format", "xml"],
        &["no-such-command"],
        &["desktop"],
        &["desktop", "run"],
        &["desktop", "down"],
        &["completions", "no-such-shell"],
        &[],
    ];
    for arguments in usage {
        let outcome = stage.deskhand(arguments);
        assert_eq!(outcome.code, Some(2), "{outcome}");
        assert!(outcome.stdout.is_empty(), "{outcome}");
        assert!(!outcome.stderr.is_empty(), "{outcome}");
    }
}

#[test]
fn invalid_timeout_is_refused() {
    let stage = TestDesktop::new();
    for timeout in ["0", "-1", "NaN", "inf", "-inf", "1e300", "-0.0"] {
        for command in ["apps", "check"] {
            let outcome =
                stage.deskhand(&[command, "--format", "json", &format!("--timeout={timeout}")]);
            assert!(matches!(outcome.code, Some(1 | 2)), "{outcome}");
            assert!(outcome.stdout.is_empty(), "{outcome}");
            assert!(outcome.stderr.contains("timeout"), "{outcome}");
        }
    }
    // A very short timeout is valid. The command may fail with it, but it returns at once.
    let outcome = stage.deskhand(&["apps", "--format", "json", "--timeout", "0.000001"]);
    assert!(matches!(outcome.code, Some(0 | 1)), "{outcome}");
    assert!(outcome.elapsed.as_millis() < 2500, "{outcome}");
}

#[test]
fn arguments_that_are_not_utf8_are_refused() {
    let stage = TestDesktop::new();
    let non_utf8 = OsStr::from_bytes(b"lone \x80 byte");
    for command in [
        vec![OsStr::new("find"), non_utf8],
        vec![OsStr::new("tree"), OsStr::new("--app"), non_utf8],
        vec![OsStr::new("attributes"), non_utf8],
        vec![OsStr::new("desktop"), OsStr::new("down"), non_utf8],
        vec![non_utf8],
    ] {
        let outcome = stage.deskhand(&command);
        assert_eq!(outcome.code, Some(2), "{outcome}");
        assert!(outcome.stdout.is_empty(), "{outcome}");
        assert!(outcome.stderr.contains("UTF-8") || command.len() == 1, "{outcome}");
    }
}

#[test]
fn huge_queries_fail_quickly() {
    let stage = TestDesktop::new();
    let app = stage.start_unread(App::Fixture("gtk3_passwords.py", &[]));
    let pid = app.pid_text();
    let long = "x".repeat(100_000);
    let deep = format!("{}a{}", "(".repeat(5_000), ")".repeat(5_000));
    let nested = format!("//*{}", "[*".repeat(2_000));
    let steps = "//*".repeat(3_000);
    let costly = format!("/{}$/", "(a|a)*".repeat(200));
    for query in [&long, &deep, &nested, &steps, &costly] {
        for strategy in ["auto", "regex", "xpath"] {
            let outcome = run_json(&stage, &["find", query, "--strategy", strategy, "--app", &pid]);
            assert_eq!(outcome.code, Some(1), "{outcome}");
            assert!(outcome.stdout.is_empty(), "{outcome}");
            assert!(outcome.error()["code"].is_string(), "{outcome}");
            assert!(outcome.elapsed.as_secs_f64() < 5.0, "{outcome}");
        }
    }
}

#[test]
fn apps_with_the_same_name_are_selected_by_pid() {
    let stage = TestDesktop::new();
    let first = stage.start_unread(App::Fixture("gtk3_passwords.py", &[]));
    let second = stage.start_unread(App::Fixture("gtk3_passwords.py", &[]));
    let apps = stage.apps();
    let name = apps[0]["name"].as_str().unwrap().to_owned();
    assert_eq!(apps[1]["name"], name.as_str());
    let error = run_json(&stage, &["tree", "--app", &name]).expect_error("ambiguous_app");
    let hint = error["hint"].as_str().unwrap();
    for app in [&first, &second] {
        assert!(hint.contains(&app.pid_text()), "{hint}");
        let tree = stage.tree(app);
        assert!(tree.elements.len() > 5, "{}", tree.summary());
    }
}

#[test]
fn control_characters_in_names_are_removed_and_the_app_survives() {
    let stage = TestDesktop::new();
    let mut app = stage.start_unread(App::Fixture("gtk3_odd_names.py", &[]));
    let pid = app.pid_text();
    let json =
        stage.deskhand(&["tree", "--app", &pid, "--flat", "--format", "json", "--timeout", "10"]);
    std::thread::sleep(std::time::Duration::from_millis(300));
    assert!(app.is_alive(), "reading the tree killed the app: {}", json.stderr);
    let tree: harness::Tree = serde_json::from_value(json.json()).unwrap();
    let longest = tree.elements.iter().map(|one| one.title.chars().count()).max().unwrap();
    assert_eq!(longest, 1024 * 1024, "JSON output contains the whole name");
    for name in [
        "onetwothreefour",
        "red ",
        "first line\nsecond line\ttabbed\r\nthird",
        "zerowidthjoined",
        "Innermost",
        "Insensitive",
    ] {
        assert!(tree.find(|one| one.title == name).is_some(), "{name:?} in {}", titles(&tree));
    }
    assert_eq!(tree.elements.iter().filter(|one| one.title == "Same name").count(), 2);
    let innermost = tree.find(|one| one.title == "Innermost").unwrap();
    assert!(innermost.depth > 200, "{}", innermost.depth);
    let nested = stage.deskhand(&["tree", "--app", &pid, "--format", "json", "--timeout", "10"]);
    nested.json();

    for arguments in [
        vec!["tree", "--app", &pid, "--max-tokens", "0"],
        vec!["tree", "--app", &pid],
        vec!["find", "odd", "--app", &pid, "--all"],
        vec!["find", "role:button", "--app", &pid, "--all"],
        vec!["find", "Same name", "--app", &pid],
        vec!["find", "nothing of this kind", "--app", &pid],
        vec!["attributes", &innermost.reference, "--app", &pid],
        vec!["windows", "--app", &pid],
        vec!["apps"],
    ] {
        let outcome = stage.deskhand(&[&arguments[..], &["--timeout", "10"]].concat());
        assert!(outcome.code.is_some(), "{outcome}");
        assert_safe_text(&outcome);
    }
    assert!(app.is_alive(), "the app has ended");
    let error = run_json(&stage, &["find", "Same name", "--app", &pid, "--timeout", "10"]);
    let hint = error.expect_error("ambiguous")["hint"].to_string();
    assert!(hint.matches("Same name").count() >= 2, "{hint}");
}

/// libdbus aborts a process that is about to send an invalid string when fatal warnings are on,
/// which is the default on a user's own desktop.
#[test]
fn reading_does_not_abort_an_app_with_fatal_dbus_warnings() {
    let stage = TestDesktop::new();
    let mut app = stage.start_with(App::Fixture("gtk3_odd_names.py", &[]), |command| {
        command.env_remove("DBUS_FATAL_WARNINGS");
    });
    let pid = app.pid_text();
    let mut watcher = stage.command(harness::outcome::binary());
    let mut watcher = harness::Program::start(watcher.args(["watch", "--duration", "8"]));
    std::thread::sleep(std::time::Duration::from_millis(800));
    for format in ["text", "json", "text"] {
        let read_tree = ["tree", "--app", &pid, "--format", format, "--timeout", "10"];
        stage.deskhand(&read_tree).expect_ok();
        std::thread::sleep(std::time::Duration::from_millis(300));
        assert!(app.is_alive(), "reading the tree as {format} killed the app");
    }
    watcher.end();
}

/// Text output has no control characters, no direction overrides and no overlong lines.
fn assert_safe_text(outcome: &Outcome) {
    let shown = format!("{}{}", outcome.text(), outcome.stderr);
    let forbidden = |c: char| {
        (c.is_control() && c != '\n')
            || matches!(c, '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{200b}' | '\u{feff}')
    };
    assert!(
        !shown.contains(forbidden),
        "{}: {:?}",
        outcome.line,
        shown.find(forbidden).map(|at| &shown[at..])
    );
    let longest = shown.lines().map(str::len).max().unwrap_or(0);
    assert!(longest < 20_000, "{}: a line of {longest} bytes", outcome.line);
}

fn titles(tree: &harness::Tree) -> String {
    let short =
        |one: &harness::Element| format!("{:?}", one.title.chars().take(60).collect::<String>());
    tree.elements.iter().map(short).collect::<Vec<_>>().join(", ")
}
