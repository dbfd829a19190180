//! Which apps may be read: by every kind of entry, and whatever a program calls itself.

use std::{fs, os::unix::process::CommandExt, path::Path, process::Command};

use harness::{App, Program, Stage};
use serde_json::Value;

/// Where the calculator of the fleet really lies.
fn calculator() -> String {
    fs::canonicalize("/usr/bin/kcalc").unwrap().display().to_string()
}

fn quoted(entry: &str) -> String {
    Value::from(entry).to_string()
}

/// Whether an app can be looked into; nothing of it is told where not.
fn is_read(stage: &Stage, program: &Program) -> bool {
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

/// A desktop file in the user's own folder.
fn own_desktop_file(stage: &Stage, id: &str) -> std::path::PathBuf {
    let folder = stage.info().home.join(".local/share/applications");
    fs::create_dir_all(&folder).unwrap();
    folder.join(format!("{id}.desktop"))
}

#[test]
fn every_kind_of_entry_denies_and_allows() {
    let stage = Stage::new();
    let (calc, editor) = (stage.start(App::Kcalc), stage.start(App::Mousepad));
    let path = calculator();
    let kinds = [
        "kcalc",
        "KCALC",
        "org.kde.kcalc",
        "org.kde.kcalc.desktop",
        &path,
        "/usr/**/kc*",
        "org.kde.*",
    ];
    for entry in kinds {
        stage.rules(&format!("denied = [{}]", quoted(entry)));
        assert!(!is_read(&stage, &calc) && is_read(&stage, &editor), "denied {entry}");
        stage.rules(&format!("allowed = [{}]", quoted(entry)));
        assert!(is_read(&stage, &calc) && !is_read(&stage, &editor), "allowed {entry}");
    }
    for alike in ["k\u{441}alc", "kca1c"] {
        stage.rules(&format!("denied = [{}]", quoted(alike)));
        assert!(!is_read(&stage, &calc), "{alike:?}");
        stage.rules(&format!("allowed = [{}]", quoted(alike)));
        assert!(!is_read(&stage, &calc), "{alike:?} is not what it is called");
    }
    stage.rules("allowed = [\"kcalc\"]\ndenied = [\"org.kde.*\"]");
    assert!(!is_read(&stage, &calc), "to be denied goes first");
}

#[test]
fn of_a_denied_app_it_is_told_only_that_it_runs() {
    let stage = Stage::new();
    let file = stage.info().home.join("secret-plan.txt");
    fs::write(&file, "x").unwrap();
    let editor = stage.start_changed(App::Mousepad, |command| {
        command.arg(&file);
    });
    let calc = stage.start(App::Kcalc);
    let told = |stage: &Stage| format!("{:?}{:?}", stage.windows(), stage.apps());
    assert!(harness::desk::until(|| told(&stage).contains("secret-plan")));
    stage.rules("denied = [\"mousepad\"]");
    assert!(!told(&stage).contains("secret-plan"), "{}", told(&stage));
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
    assert!(harness::desk::runs(pid) && harness::desk::runs(calc.pid()));
    assert_eq!(stage.desk().windows_of(pid).len(), 1);
}

#[test]
fn a_denied_program_is_known_behind_other_names() {
    let stage = Stage::new();
    let place = tempfile::tempdir().unwrap();
    let link = place.path().join("innocent");
    std::os::unix::fs::symlink(calculator(), &link).unwrap();
    let hard = place.path().join("plain");
    // A hard link cannot leave its file system: a copy stands for it there.
    let linked = fs::hard_link(calculator(), &hard).is_ok();
    if !linked {
        fs::copy(calculator(), &hard).unwrap();
    }
    let start = |program: &Path, called: &str| {
        stage.start_changed(App::Kcalc, |command| {
            let mut other = Command::new(program);
            other.arg0(called);
            stage.info().apply(&mut other);
            *command = other;
        })
    };
    let disguised = [
        ("another first argument", start(Path::new("/usr/bin/kcalc"), "mousepad")),
        ("a link", start(&link, "innocent")),
        ("a hard link", start(&hard, "plain")),
    ];
    for entry in [calculator(), "org.kde.kcalc".to_owned(), "kcalc".to_owned()] {
        stage.rules(&format!("denied = [{}]", quoted(&entry)));
        for (how, program) in &disguised {
            // A copy is another file: it is known by what it calls itself.
            if *how == "a hard link" && !linked && entry.starts_with('/') {
                continue;
            }
            assert!(!is_read(&stage, program), "{how}, denied {entry}");
        }
    }
    stage.rules("allowed = [\"mousepad\", \"innocent\", \"plain\"]");
    for (how, program) in &disguised {
        assert!(!is_read(&stage, program), "{how} allows nothing");
    }
}

#[test]
fn desktop_files_of_anybody_change_nothing() {
    let stage = Stage::new();
    let (calc, editor) = (stage.start(App::Kcalc), stage.start(App::Mousepad));
    let system = Path::new("/usr/share/applications/org.kde.kcalc.desktop");
    let entry =
        |program: &str| format!("[Desktop Entry]\nType=Application\nName=KCalc\nExec={program}\n");
    fs::write(own_desktop_file(&stage, "org.kde.kcalc"), entry("mousepad")).unwrap();
    fs::copy(system, own_desktop_file(&stage, "copied")).unwrap();
    std::os::unix::fs::symlink(system, own_desktop_file(&stage, "linked")).unwrap();
    fs::write(own_desktop_file(&stage, "com.example.Trusted"), entry("mousepad")).unwrap();
    stage.rules("allowed = [\"org.kde.kcalc\", \"com.example.Trusted\", \"copied\"]");
    assert!(!is_read(&stage, &editor), "a forged file makes it no other app");
    assert!(is_read(&stage, &calc), "nor does it take the real one away");
    stage.rules("denied = [\"org.kde.kcalc\"]");
    assert!(!is_read(&stage, &calc), "the real file still leads to it");
    for name in ["copied", "linked", "org.kde.kcalc"] {
        stage.call("open", &[name]).expect_error("app_blocked");
    }
    let forged = own_desktop_file(&stage, "elsewhere").display().to_string();
    fs::write(&forged, entry("kcalc")).unwrap();
    stage.call("open", &[&forged]).expect_error("app_blocked");
    let count = stage.apps().iter().filter(|one| one["name"] == "kcalc").count();
    assert_eq!(count, 1, "nothing was started");
}

#[test]
fn an_app_that_lies_about_itself_is_not_allowed() {
    let stage = Stage::new();
    let editor = stage.start(App::Mousepad);
    let liar = stage.start(App::Fixture("gtk3_liar.py", &["mousepad"]));
    let desk = stage.desk();
    let window = desk.window_of(liar.pid());
    assert!(desk.property(window, "WM_CLASS").contains("mousepad"));
    let (id, pid) = (window.to_string(), editor.pid_text());
    let forged = ["-id", &id, "-f", "_NET_WM_PID", "32c", "-set", "_NET_WM_PID", &pid];
    harness::Outcome::of(stage.command("xprop").args(forged)).expect_ok();
    stage.rules("allowed = [\"mousepad\"]\ndefault_write_blocked = false");
    assert!(is_read(&stage, &editor) && !is_read(&stage, &liar));
    stage.call("window_move", &[&id, "5", "5"]).expect_error("app_blocked");
    stage.call("screenshot", &["--window", &id]).expect_error("app_blocked");
    let own = stage.windows().into_iter().find(|one| one["id"] == window).unwrap();
    assert_eq!(own["pid"], liar.pid(), "the server knows whose it is");
    stage.rules("denied = [\"mousepad\"]");
    assert!(!is_read(&stage, &liar), "what it says counts against it");
    let script = harness::app::fixtures().join("gtk3_liar.py").display().to_string();
    stage.rules(&format!("allowed = [{}]", quoted(&script)));
    assert!(is_read(&stage, &liar) && !is_read(&stage, &editor), "a script is an app of its own");
}

#[test]
fn rules_that_cannot_be_read_let_nothing_through() {
    let stage = Stage::new();
    let _calc = stage.start(App::Kcalc);
    stage.rules("denied = [\"kcalc\"");
    let outcome = stage.call("apps", &[]);
    assert_eq!(outcome.code, Some(1), "{outcome}");
    let error = outcome.error();
    assert!(error["message"].as_str().unwrap().contains("security.toml:"), "{error}");
    assert_eq!(error["code"], "invalid_rules");
}

#[test]
fn a_program_that_hides_its_file_is_held_against_every_path() {
    let stage = Stage::new();
    // Who administers a machine sees what other programs hide: nobody has that power here.
    let ordinary = |command: &Command| {
        let mut other = stage.command("setpriv");
        other.arg("--bounding-set=-sys_ptrace").arg(command.get_program());
        other.args(command.get_args());
        other
    };
    let start = |app: App| {
        let program = stage.start_changed(app, |command| *command = ordinary(command));
        stage.settle(&program, app.at_least());
        program
    };
    let editor = start(App::Mousepad);
    let liar = start(App::Fixture("gtk3_liar.py", &["innocent", "hidden"]));
    let window = stage.desk().window_of(liar.pid()).to_string();
    let call = |words: &[&str]| {
        let mut command = Command::new(harness::outcome::binary());
        command.args(words).args(["--format", "json", "--timeout", "20"]);
        harness::Outcome::of(&mut ordinary(&command))
    };
    let look = |program: &Program| call(&["tree", "--app", &program.pid_text()]);
    stage.rules("default_write_blocked = false");
    look(&liar).expect_ok();
    let python = fs::canonicalize("/usr/bin/python3").unwrap().display().to_string();
    for entry in ["**/gtk3_liar.py", "/usr/bin/python3", &python, "/opt/kept/*", "/opt/kept/it"] {
        let list = quoted(entry);
        stage.rules(&format!("denied = [{list}]"));
        look(&liar).expect_error("app_blocked");
        call(&["screenshot", "--window", &window]).expect_error("app_blocked");
        look(&editor).expect_ok();
        stage.rules(&format!("write_blocked = [{list}]\ndefault_write_blocked = false"));
        look(&liar).expect_ok();
        call(&["window", "move", &window, "5", "5"]).expect_error("write_blocked");
        stage.rules(&format!("allowed = [{list}, \"innocent\", \"mousepad\"]"));
        look(&liar).expect_error("app_blocked");
        look(&editor).expect_ok();
    }
    stage.rules("denied = [\"innocent\"]");
    look(&liar).expect_error("app_blocked");
}
