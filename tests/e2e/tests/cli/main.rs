//! The command line: output formats, exit codes, terminals, and refs that work across commands.
#![allow(clippy::unwrap_used, reason = "tests")]

mod mcp_install;
mod packaging;
pub(crate) mod private_desktops;
pub(crate) mod terminal;
mod tools;
pub(crate) mod watch;

use harness::{App, TestDesktop};
use serde_json::Value;

/// Every command works in each of the three output formats.
#[test]
fn every_command_supports_text_json_and_quiet_output() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Mousepad);
    let pid = program.pid_text();
    let commands: [&[&str]; 9] = [
        &["apps"],
        &["windows"],
        &["windows", "--app", &pid],
        &["tree", "--app", &pid],
        &["tree", "--app", "mousepad", "--depth", "3"],
        &["find", "role:menu title:File", "--app", &pid],
        &["find", "role:menu", "--all", "--limit", "3", "--app", &pid],
        &["attributes", "role:menu title:File", "--app", &pid],
        &["check"],
    ];
    for command in commands {
        let run = |format: &str| {
            stage.deskhand(&[command, &["--format", format, "--timeout", "10"]].concat())
        };
        let text = run("text");
        assert!(!text.expect_ok().text().trim().is_empty(), "{text}");
        assert!(!text.text().contains('\u{1b}'), "{text}");
        let json = run("json").json();
        assert!(json.is_array() || json.is_object(), "{json}");
        let quiet = run("quiet");
        assert!(quiet.expect_ok().stdout.is_empty() && quiet.stderr.is_empty(), "{quiet}");
    }
    let apps = stage.deskhand(&["apps"]).text();
    assert!(apps.contains("mousepad") && apps.contains(&pid), "{apps}");
    let row = stage.apps().remove(0);
    for field in ["name", "pid", "bundle_id", "toolkit", "windows", "accessible"] {
        assert!(row.get(field).is_some(), "{field} of {row}");
    }
    assert!(row["toolkit"].as_str().unwrap().contains("gtk 3"), "{row}");
    let window = stage.windows().remove(0);
    assert_eq!(window["app"], row["name"], "{window}");
    assert_eq!(window["focused"], true, "{window}");
}

#[test]
fn no_match_is_exit_code_1_in_every_format() {
    let stage = TestDesktop::new();
    let program = stage.start_unread(App::Mousepad);
    let pid = program.pid_text();
    let no_match = ["find", "no such thing anywhere", "--app", &pid];
    let text = stage.deskhand(&no_match);
    assert_eq!(text.code, Some(1), "{text}");
    assert!(text.stdout.is_empty() && text.stderr.starts_with("error: "), "{text}");
    assert!(text.stderr.contains("  next: "), "{text}");
    let quiet = stage.deskhand(&[&no_match[..], &["--format", "quiet"]].concat());
    assert_eq!(quiet.code, Some(1), "{quiet}");
    assert!(quiet.stdout.is_empty() && quiet.stderr.is_empty(), "{quiet}");
    let json = stage.deskhand(&[&no_match[..], &["--format", "json"]].concat());
    json.expect_error("no_match");
    let all = stage.deskhand(&[&no_match[..], &["--all", "--format", "json"]].concat());
    assert!(all.code == Some(1) || all.json() == Value::Array(Vec::new()), "{all}");
}

#[test]
fn ambiguous_query_lists_candidates_whose_refs_work() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Gtk3WidgetFactory);
    let pid = program.pid_text();
    let find = ["find", "role:checkbox", "--app", &pid, "--format", "json"];
    let error = stage.deskhand(&find).expect_error("ambiguous");
    let hint = error["hint"].as_str().unwrap();
    let is_ref = |word: &&str| {
        word.strip_prefix('e')
            .is_some_and(|n| !n.is_empty() && n.bytes().all(|b| b.is_ascii_digit()))
    };
    let words = hint.split(|c: char| !c.is_ascii_alphanumeric()).filter(is_ref);
    let refs: Vec<&str> = words.collect();
    assert!(refs.len() >= 2, "{hint}");
    for reference in refs.iter().take(3) {
        let found = stage.deskhand(&["find", reference, "--app", &pid, "--format", "json"]).json();
        assert_eq!(found["element_ref"], *reference, "{found}");
        assert_eq!(found["kind"], "checkbox", "{found}");
        assert_eq!(found["strategy"], "ref", "{found}");
    }
}

/// All query syntaxes find the same element.
#[test]
fn every_query_syntax_finds_the_same_element() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Fixture("gtk3_passwords.py", &[]));
    let pid = program.pid_text();
    let find = |query: &str, strategy: &str| {
        let find = ["find", query, "--strategy", strategy, "--app", &pid, "--format", "json"];
        stage.deskhand(&find).json()
    };
    let wanted = find("Remember me", "auto");
    assert_eq!(wanted["kind"], "checkbox", "{wanted}");
    let path = wanted["path"].as_str().unwrap();
    for (query, strategy) in [
        ("Remember me", "exact"),
        ("remember", "contains"),
        ("role:checkbox title:\"Remember me\"", "auto"),
        ("role:AXCheckBox Remember me", "auto"),
        ("role:AXCheckBox \"Remember me\"", "auto"),
        ("/^Remem.*me$/", "auto"),
        ("^Remem.*me$", "regex"),
        ("//checkbox[@title='Remember me']", "auto"),
        ("//*[@title='Remember me']", "xpath"),
        (r#"{"title":"Remember me"}"#, "auto"),
        (r#"{"role":"checkbox","text_contains":"ember"}"#, "auto"),
        (path, "auto"),
    ] {
        let found = find(query, strategy);
        assert_eq!(found["element_ref"], wanted["element_ref"], "{query}: {found}");
        assert!(
            found["confidence"].as_f64().is_some_and(|confidence| confidence > 0.3),
            "{query}: {found}"
        );
    }
}

#[test]
fn refs_work_across_commands_and_go_stale_with_their_window() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Fixture("qt6_dialog.py", &["20"]));
    let pid = program.pid_text();
    let before = stage.tree(&program);
    let save = before.named("button", "Save");
    for _ in 0..2 {
        let attributes = ["attributes", &save.reference, "--app", &pid, "--format", "json"];
        let attributes = stage.deskhand(&attributes).json();
        assert_eq!(attributes["title"], "Save", "{attributes}");
        assert_eq!(attributes["element_ref"], save.reference.as_str(), "{attributes}");
        assert!(attributes["platform"].is_object(), "{attributes}");
    }
    let hand = stage.real_input();
    hand.click(before.named("button", "Open dialog").bounds.unwrap().centre());
    program.wait_for("dialog opened");
    let is_question = |one: &harness::Element| one.title == "Really continue?";
    let open = stage.until(&program, "the dialog", |tree| tree.find(is_question).is_some());
    let in_dialog = open.find(is_question).unwrap();
    assert_eq!(open.named("button", "Save").reference, save.reference, "an unrelated ref changed");
    let attributes = ["attributes", &in_dialog.reference, "--app", &pid, "--format", "json"];
    stage.deskhand(&attributes).json();
    let cancel =
        |one: &harness::Element| one.kind == "button" && one.title.replace('&', "") == "Cancel";
    hand.click(open.find(cancel).unwrap().bounds.unwrap().centre());
    program.wait_for("dialog closed cancel");
    stage.until(&program, "the dialog is gone", |tree| tree.find(is_question).is_none());
    let error = stage.deskhand(&attributes).expect_error("stale");
    assert!(error["hint"].is_string(), "{error}");
    let unrelated = ["attributes", &save.reference, "--app", &pid, "--format", "json"];
    assert_eq!(stage.deskhand(&unrelated).json()["title"], "Save");
}

#[test]
fn completions_exist_for_every_shell() {
    let stage = TestDesktop::new();
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let outcome = stage.deskhand(&["completions", shell]);
        let script = outcome.expect_ok().text();
        for word in ["desktop", "attributes", "watch"] {
            assert!(script.contains(word), "{shell}: {word}");
        }
    }
    let file = stage.info().home.join("completions.bash");
    std::fs::write(&file, stage.deskhand(&["completions", "bash"]).stdout).unwrap();
    harness::Outcome::of(stage.command("bash").arg("-n").arg(&file)).expect_ok();
}

#[test]
fn help_and_version_succeed() {
    let stage = TestDesktop::new();
    for arguments in [&["--help"][..], &["--version"], &["tree", "--help"], &["desktop", "--help"]]
    {
        let outcome = stage.deskhand(arguments);
        assert!(!outcome.expect_ok().stdout.is_empty(), "{outcome}");
    }
    assert!(stage.deskhand(&["--help"]).text().contains("Exit codes"));
}

#[test]
fn depth_root_and_token_budget_limit_the_tree_and_report_omissions() {
    let stage = TestDesktop::new();
    let program = stage.start(App::Mousepad);
    let pid = program.pid_text();
    let shallow = ["tree", "--app", &pid, "--depth", "2", "--flat", "--format", "json"];
    let shallow: harness::Tree = serde_json::from_value(stage.deskhand(&shallow).json()).unwrap();
    assert!(shallow.elements.iter().all(|one| one.depth <= 2));
    assert!(shallow.elements.iter().any(|one| one.cut.as_deref() == Some("depth")));
    let whole = stage.tree(&program);
    let menu = whole.named("menu", "File");
    let below = ["tree", "--app", &pid, "--root", &menu.reference, "--flat", "--format", "json"];
    let below: harness::Tree = serde_json::from_value(stage.deskhand(&below).json()).unwrap();
    assert_eq!(below.elements[0].reference, menu.reference);
    assert!(below.elements.len() > 5 && below.elements.len() < whole.elements.len());
    let small = stage.deskhand(&["tree", "--app", &pid, "--max-tokens", "100"]).text();
    let large = stage.deskhand(&["tree", "--app", &pid, "--max-tokens", "0", "--hidden"]).text();
    assert!(small.len() < 1000 && large.len() > small.len(), "{small}");
    assert!(small.contains("not shown"), "the omission must be reported: {small}");
}
