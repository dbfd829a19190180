//! Matching of app rules: every kind of entry works, and an app cannot evade a rule by changing its
//! name.

use std::{fs, os::unix::process::CommandExt, path::Path, process::Command};

use harness::{App, Program, TestDesktop};
use serde_json::Value;

/// The real path of the KCalc executable.
fn kcalc_path() -> String {
    fs::canonicalize("/usr/bin/kcalc").unwrap().display().to_string()
}

fn toml_string(entry: &str) -> String {
    Value::from(entry).to_string()
}

/// Returns `true` if the tree of an app can be read. Fails unless a refusal has the expected error.
fn is_readable(stage: &TestDesktop, program: &Program) -> bool {
    let outcome = stage.deskhand(&[
        "tree",
        "--app",
        &program.pid_text(),
        "--format",
        "json",
        "--timeout",
        "20",
    ]);
    if outcome.code == Some(0) {
        return true;
    }
    let error = outcome.expect_error("app_blocked");
    assert!(error["message"].as_str().unwrap().ends_with("is blocked by security policy"));
    assert!(error["hint"].as_str().unwrap().contains("security.toml"), "{error}");
    false
}

/// Path of a desktop file in the user's folder.
fn user_desktop_file(stage: &TestDesktop, id: &str) -> std::path::PathBuf {
    let folder = stage.info().home.join(".local/share/applications");
    fs::create_dir_all(&folder).unwrap();
    folder.join(format!("{id}.desktop"))
}

#[test]
fn every_kind_of_entry_denies_and_allows() {
    let stage = TestDesktop::new();
    let (calc, editor) = (stage.start(App::Kcalc), stage.start(App::Mousepad));
    let path = kcalc_path();
    let entries = [
        "kcalc",
        "KCALC",
        "org.kde.kcalc",
        "org.kde.kcalc.desktop",
        &path,
        "/usr/**/kc*",
        "org.kde.*",
    ];
    for entry in entries {
        stage.write_app_rules(&format!("denied = [{}]", toml_string(entry)));
        assert!(!is_readable(&stage, &calc) && is_readable(&stage, &editor), "denied {entry}");
        stage.write_app_rules(&format!("allowed = [{}]", toml_string(entry)));
        assert!(is_readable(&stage, &calc) && !is_readable(&stage, &editor), "allowed {entry}");
    }
    for lookalike in ["k\u{441}alc", "kca1c"] {
        stage.write_app_rules(&format!("denied = [{}]", toml_string(lookalike)));
        assert!(!is_readable(&stage, &calc), "{lookalike:?}");
        stage.write_app_rules(&format!("allowed = [{}]", toml_string(lookalike)));
        assert!(!is_readable(&stage, &calc), "lookalike {lookalike:?} must not allow kcalc");
    }
    stage.write_app_rules("allowed = [\"kcalc\"]\ndenied = [\"org.kde.*\"]");
    assert!(!is_readable(&stage, &calc), "denied must win over allowed");
}

#[test]
fn denied_app_exposes_only_that_it_runs() {
    let stage = TestDesktop::new();
    let file = stage.info().home.join("secret-plan.txt");
    fs::write(&file, "x").unwrap();
    let editor = stage.start_with(App::Mousepad, |command| {
        command.arg(&file);
    });
    let calc = stage.start(App::Kcalc);
    let listings = |stage: &TestDesktop| format!("{:?}{:?}", stage.windows(), stage.apps());
    assert!(harness::inspect::wait_until(|| listings(&stage).contains("secret-plan")));
    stage.write_app_rules("denied = [\"mousepad\"]");
    assert!(!listings(&stage).contains("secret-plan"), "{}", listings(&stage));
    let pid = editor.pid();
    assert!(stage.apps().iter().any(|one| one["pid"] == pid));
    let window = stage.windows().into_iter().find(|one| one["pid"] == pid).unwrap();
    assert_eq!(window["title"], "(blocked by security policy)");
    let id = window["id"].to_string();
    for call in [
        &["tree", "--app", "mousepad"][..],
        &["find", "File", "--app", "mousepad"],
        &["watch", "--app", "mousepad", "--duration", "1"],
        &["click", "File", "--app", "mousepad"],
        &["type", "x", "--app", "mousepad"],
        &["app", "mousepad"],
        &["window", "state", &id],
        &["window", "close", &id],
        &["screenshot", "--window", &id],
        &["screenshot", "--app", "mousepad"],
        &["quit", "mousepad"],
        &["quit", "mousepad", "--force"],
        &["open", "mousepad"],
        &["open", "org.xfce.mousepad"],
        &["open", "env", "--", "mousepad"],
    ] {
        let outcome = stage.deskhand(&[&["--format", "json", "--timeout", "10"], call].concat());
        let error = outcome.expect_error("app_blocked");
        assert!(!error.to_string().contains("secret-plan"), "{error}");
    }
    assert!(harness::inspect::is_running(pid) && harness::inspect::is_running(calc.pid()));
    assert_eq!(stage.window_inspector().windows_of(pid).len(), 1);
}

#[test]
fn renamed_executable_is_still_denied() {
    let stage = TestDesktop::new();
    let folder = tempfile::tempdir().unwrap();
    let link = folder.path().join("innocent");
    std::os::unix::fs::symlink(kcalc_path(), &link).unwrap();
    let hard = folder.path().join("plain");
    // A hard link cannot cross file systems. A copy replaces it there.
    let is_hard_link = fs::hard_link(kcalc_path(), &hard).is_ok();
    if !is_hard_link {
        fs::copy(kcalc_path(), &hard).unwrap();
    }
    let start = |program: &Path, argv0: &str| {
        stage.start_with(App::Kcalc, |command| {
            let mut other = Command::new(program);
            other.arg0(argv0);
            stage.info().apply(&mut other);
            *command = other;
        })
    };
    let disguised = [
        ("another first argument", start(Path::new("/usr/bin/kcalc"), "mousepad")),
        ("a link", start(&link, "innocent")),
        ("a hard link", start(&hard, "plain")),
    ];
    for entry in [kcalc_path(), "org.kde.kcalc".to_owned(), "kcalc".to_owned()] {
        stage.write_app_rules(&format!("denied = [{}]", toml_string(&entry)));
        for (disguise, program) in &disguised {
            // A copy is a different file, so a path rule does not match it. The other rules match
            // its reported name.
            if *disguise == "a hard link" && !is_hard_link && entry.starts_with('/') {
                continue;
            }
            assert!(!is_readable(&stage, program), "{disguise}, denied {entry}");
        }
    }
    stage.write_app_rules("allowed = [\"mousepad\", \"innocent\", \"plain\"]");
    for (disguise, program) in &disguised {
        assert!(!is_readable(&stage, program), "{disguise}: a chosen name must not allow the app");
    }
}

#[test]
fn user_desktop_files_do_not_change_the_rules() {
    let stage = TestDesktop::new();
    let (calc, editor) = (stage.start(App::Kcalc), stage.start(App::Mousepad));
    let system = Path::new("/usr/share/applications/org.kde.kcalc.desktop");
    let entry =
        |program: &str| format!("[Desktop Entry]\nType=Application\nName=KCalc\nExec={program}\n");
    fs::write(user_desktop_file(&stage, "org.kde.kcalc"), entry("mousepad")).unwrap();
    fs::copy(system, user_desktop_file(&stage, "copied")).unwrap();
    std::os::unix::fs::symlink(system, user_desktop_file(&stage, "linked")).unwrap();
    fs::write(user_desktop_file(&stage, "com.example.Trusted"), entry("mousepad")).unwrap();
    stage.write_app_rules("allowed = [\"org.kde.kcalc\", \"com.example.Trusted\", \"copied\"]");
    assert!(
        !is_readable(&stage, &editor),
        "a forged desktop file must not change an app's identity"
    );
    assert!(is_readable(&stage, &calc), "a forged desktop file must not hide the real one");
    stage.write_app_rules("denied = [\"org.kde.kcalc\"]");
    assert!(!is_readable(&stage, &calc), "the system desktop file must still match");
    for name in ["copied", "linked", "org.kde.kcalc"] {
        stage.call("open", &[name]).expect_error("app_blocked");
    }
    let forged = user_desktop_file(&stage, "elsewhere").display().to_string();
    fs::write(&forged, entry("kcalc")).unwrap();
    stage.call("open", &[&forged]).expect_error("app_blocked");
    let count = stage.apps().iter().filter(|one| one["name"] == "kcalc").count();
    assert_eq!(count, 1, "a denied app was started");
}

#[test]
fn app_with_a_false_identity_is_not_allowed() {
    let stage = TestDesktop::new();
    let editor = stage.start(App::Mousepad);
    let impostor = stage.start(App::Fixture("gtk3_liar.py", &["mousepad"]));
    let desk = stage.window_inspector();
    let window = desk.window_of(impostor.pid());
    assert!(desk.property(window, "WM_CLASS").contains("mousepad"));
    let (id, pid) = (window.to_string(), editor.pid_text());
    let forged = ["-id", &id, "-f", "_NET_WM_PID", "32c", "-set", "_NET_WM_PID", &pid];
    harness::Outcome::of(stage.command("xprop").args(forged)).expect_ok();
    stage.write_app_rules("allowed = [\"mousepad\"]\ndefault_write_blocked = false");
    assert!(is_readable(&stage, &editor) && !is_readable(&stage, &impostor));
    stage.call("window_move", &[&id, "5", "5"]).expect_error("app_blocked");
    stage.call("screenshot", &["--window", &id]).expect_error("app_blocked");
    let impostor_window = stage.windows().into_iter().find(|one| one["id"] == window).unwrap();
    assert_eq!(impostor_window["pid"], impostor.pid(), "the pid must come from the X server");
    stage.write_app_rules("denied = [\"mousepad\"]");
    assert!(!is_readable(&stage, &impostor), "a claimed name must count for denial");
    let script = harness::app::fixtures().join("gtk3_liar.py").display().to_string();
    stage.write_app_rules(&format!("allowed = [{}]", toml_string(&script)));
    assert!(
        is_readable(&stage, &impostor) && !is_readable(&stage, &editor),
        "a script must be its own app"
    );
}

#[test]
fn invalid_rules_block_every_call() {
    let stage = TestDesktop::new();
    let _calc = stage.start(App::Kcalc);
    stage.write_app_rules("denied = [\"kcalc\"");
    let outcome = stage.call("apps", &[]);
    assert_eq!(outcome.code, Some(1), "{outcome}");
    let error = outcome.error();
    assert!(error["message"].as_str().unwrap().contains("security.toml:"), "{error}");
    assert_eq!(error["code"], "invalid_rules");
}

#[test]
fn app_that_hides_its_executable_matches_every_path_rule() {
    let stage = TestDesktop::new();
    // Root can read `/proc` data that a program hides. Drop that capability, as for a normal user.
    let without_ptrace = |command: &Command| {
        let mut other = stage.command("setpriv");
        other.arg("--bounding-set=-sys_ptrace").arg(command.get_program());
        other.args(command.get_args());
        other
    };
    let start = |app: App| {
        let program = stage.start_with(app, |command| *command = without_ptrace(command));
        stage.settle(&program, app.at_least());
        program
    };
    let editor = start(App::Mousepad);
    let impostor = start(App::Fixture("gtk3_liar.py", &["innocent", "hidden"]));
    let window = stage.window_inspector().window_of(impostor.pid()).to_string();
    let call = |words: &[&str]| {
        let mut command = Command::new(harness::outcome::binary());
        command.args(words).args(["--format", "json", "--timeout", "20"]);
        harness::Outcome::of(&mut without_ptrace(&command))
    };
    let read_tree = |program: &Program| call(&["tree", "--app", &program.pid_text()]);
    stage.write_app_rules("default_write_blocked = false");
    read_tree(&impostor).expect_ok();
    let python = fs::canonicalize("/usr/bin/python3").unwrap().display().to_string();
    for entry in ["**/gtk3_liar.py", "/usr/bin/python3", &python, "/opt/kept/*", "/opt/kept/it"] {
        let list = toml_string(entry);
        stage.write_app_rules(&format!("denied = [{list}]"));
        read_tree(&impostor).expect_error("app_blocked");
        call(&["screenshot", "--window", &window]).expect_error("app_blocked");
        read_tree(&editor).expect_ok();
        stage.write_app_rules(&format!("write_blocked = [{list}]\ndefault_write_blocked = false"));
        read_tree(&impostor).expect_ok();
        call(&["window", "move", &window, "5", "5"]).expect_error("write_blocked");
        stage.write_app_rules(&format!("allowed = [{list}, \"innocent\", \"mousepad\"]"));
        read_tree(&impostor).expect_error("app_blocked");
        read_tree(&editor).expect_ok();
    }
    stage.write_app_rules("denied = [\"innocent\"]");
    read_tree(&impostor).expect_error("app_blocked");
}
