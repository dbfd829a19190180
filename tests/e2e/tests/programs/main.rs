//! Opening and quitting programs.
#![allow(clippy::unwrap_used, reason = "tests")]

pub(crate) mod quit;

use std::path::PathBuf;

use harness::TestDesktop;
use harness::inspect::{executable, is_running, session, variable, wait_until};
use serde_json::Value;

/// Installs a desktop file on the private desktop.
fn install(stage: &TestDesktop, id: &str, text: &str) -> PathBuf {
    let folder = stage.info().home.join(".local/share/applications");
    std::fs::create_dir_all(&folder).unwrap();
    let path = folder.join(format!("{id}.desktop"));
    std::fs::write(&path, format!("[Desktop Entry]\nType=Application\n{text}\n")).unwrap();
    path
}

pub(crate) fn pid(answer: &Value) -> u32 {
    u32::try_from(answer["pid"].as_u64().unwrap_or_else(|| panic!("no pid: {answer}"))).unwrap()
}

pub(crate) fn open(stage: &TestDesktop, arguments: &[&str], effect: &str) -> Value {
    let mut all = vec!["--timeout", "30"];
    all.extend(arguments);
    stage.effect("open", &all, effect)
}

/// Checks an opened program with the process table, the X server and an independent accessibility
/// reader.
fn assert_opened(stage: &TestDesktop, answer: &Value, program: &str) {
    let pid = pid(answer);
    assert!(is_running(pid), "the program ended with the command: {answer}");
    assert!(executable(pid).ends_with(program), "{}", executable(pid));
    let windows = stage.window_inspector().windows_of(pid);
    let reported = answer["window"].as_u64().unwrap_or_else(|| panic!("no window: {answer}"));
    assert!(windows.iter().any(|window| u64::from(*window) == reported), "{windows:?} {answer}");
    let elements = stage.plain_walk(pid);
    assert!(elements.len() > 5, "an independent reader found only {} elements", elements.len());
    assert_eq!(answer["tree"], true, "{answer}");
}

#[test]
fn program_is_opened_by_any_of_its_names() {
    let stage = TestDesktop::new();
    let desktop_file = install(&stage, "org.example.Sums", "Name=My Sums\nExec=kcalc");
    let desktop_file = desktop_file.display().to_string();
    for name in ["My Sums", "org.example.Sums", "sums", "kcalc", "/usr/bin/kcalc", &desktop_file] {
        let answer = open(&stage, &[name], "confirmed");
        assert_opened(&stage, &answer, "/kcalc");
        let pid = pid(&answer);
        assert_eq!(session(pid), pid, "the program must have its own session");
        stage.effect("quit", &[&pid.to_string()], "confirmed");
    }
}

#[test]
fn opened_program_gets_its_desktop_file_and_has_a_tree() {
    let stage = TestDesktop::new();
    for (name, program) in
        [("Mousepad", "/mousepad"), ("featherpad", "/featherpad"), ("Calculator", "-calculator")]
    {
        let answer = open(&stage, &[name], "confirmed");
        assert_opened(&stage, &answer, program);
        let pid = pid(&answer);
        let number = variable(pid, "GIO_LAUNCHED_DESKTOP_FILE_PID");
        assert_eq!(number, Some(pid.to_string()));
        let file = variable(pid, "GIO_LAUNCHED_DESKTOP_FILE").unwrap();
        let facts = stage.call("app", &[&pid.to_string()]).json();
        let id = facts["bundle_id"].as_str().unwrap();
        assert!(file.ends_with(&format!("/{id}.desktop")), "{file} {facts}");
        assert_eq!(facts["executable"], executable(pid), "{facts}");
        assert_eq!(facts["access"], "ok", "{facts}");
        assert_eq!(facts["windows"][0]["id"], answer["window"], "{facts}");
    }
}

#[test]
fn arguments_are_passed_unchanged() {
    let stage = TestDesktop::new();
    let file = stage.info().home.join("a note, with comma.txt");
    std::fs::write(&file, "hello").unwrap();
    let answer = open(&stage, &["mousepad", &file.display().to_string()], "confirmed");
    let desk = stage.window_inspector();
    let window = u32::try_from(answer["window"].as_u64().unwrap()).unwrap();
    let is_named = || desk.property(window, "_NET_WM_NAME").contains("a note, with comma.txt");
    assert!(wait_until(is_named), "{}", desk.property(window, "_NET_WM_NAME"));
}

#[test]
fn single_instance_program_is_resolved_to_the_running_process() {
    let stage = TestDesktop::new();
    let first = open(&stage, &["mousepad"], "confirmed");
    let second = open(&stage, &["mousepad"], "confirmed");
    assert_eq!(pid(&first), pid(&second));
    let evidence = second["evidence"].to_string();
    assert!(evidence.contains("handed over"), "{second}");
    assert_opened(&stage, &second, "/mousepad");
}

#[test]
fn libreoffice_splash_screen_is_not_taken_for_the_program() {
    let stage = TestDesktop::new();
    let answer = open(&stage, &["libreoffice", "--", "--writer"], "confirmed");
    assert_opened(&stage, &answer, "/soffice.bin");
    let pid = pid(&answer).to_string();
    let tree_text = || stage.deskhand(&["tree", "--app", &pid, "--depth", "2"]).text();
    assert!(wait_until(|| tree_text().contains("Writer")), "{}", tree_text());
    stage.effect("quit", &[&pid, "--force"], "confirmed");
}

#[test]
fn chromium_is_started_with_accessibility_flags() {
    let stage = TestDesktop::new();
    let page = harness::app::fixtures().join("pages/form.html");
    let url = format!("file://{}", page.display());
    let answer = open(&stage, &["chromium", "--no-first-run", &url], "confirmed");
    let pid = pid(&answer);
    let command = std::fs::read(format!("/proc/{pid}/cmdline")).unwrap();
    let command = String::from_utf8_lossy(&command).replace('\0', " ");
    for flag in [
        "--force-renderer-accessibility",
        "--disable-backgrounding-occluded-windows",
        "--disable-renderer-backgrounding",
    ] {
        assert!(command.contains(flag), "{command}");
        assert!(answer["added"].to_string().contains(flag), "{answer}");
    }
    let is_root = rustix::process::getuid().is_root();
    assert_eq!(answer["added"].to_string().contains("--no-sandbox"), is_root, "{answer}");
    let shows = || stage.plain_walk(pid).values().any(|node| node.name == "Send news");
    assert!(wait_until(shows), "the page has no tree");
}

#[test]
fn window_without_a_tree_is_reported_as_partial() {
    let stage = TestDesktop::new();
    let answer = open(&stage, &["xterm"], "partial");
    let pid = pid(&answer);
    assert_eq!(answer["window"], stage.window_inspector().window_of(pid));
    assert_eq!(answer["tree"], false);
    assert!(answer["escalation"].as_str().unwrap().contains("accessibility"), "{answer}");
    let facts = stage.call("app", &[&pid.to_string()]).json();
    assert_eq!(facts["access"], "no_tree", "{facts}");
}

#[test]
fn output_of_a_program_that_fails_at_start_is_reported() {
    let stage = TestDesktop::new();
    install(
        &stage,
        "broken",
        "Name=Broken\nExec=sh -c \"echo no such display >&2; echo giving up >&2; exit 3\"",
    );
    let answer = open(&stage, &["Broken"], "no_effect");
    assert!(answer["evidence"].to_string().contains("ended with code 3"), "{answer}");
    assert!(answer["changes"].to_string().contains("giving up"), "{answer}");
    install(&stage, "brief", "Name=Brief\nExec=true");
    open(&stage, &["Brief"], "unverified");
}

#[test]
fn unopenable_program_is_refused_with_advice() {
    let stage = TestDesktop::new();
    let ran = stage.info().home.join("ran");
    let exec = format!("Name=Textual\nTerminal=true\nExec=touch {}", ran.display());
    install(&stage, "textual", &exec);
    let error = stage.call("open", &["Textual"]).expect_error("needs_terminal");
    assert_eq!(error["delivery"], "not_sent", "{error}");
    assert!(!ran.exists(), "the program was started");
    let error = stage.call("open", &["Mousepa"]).expect_error("program_not_found");
    assert!(error["hint"].as_str().unwrap().contains("Mousepad"), "{error}");
    for id in ["twin.one", "twin.two"] {
        install(&stage, id, "Name=Twin\nExec=kcalc");
    }
    let error = stage.call("open", &["twin"]).expect_error("ambiguous_program");
    assert!(error["hint"].as_str().unwrap().contains("twin.two"), "{error}");
}

#[test]
fn no_wait_returns_before_the_window_appears() {
    let stage = TestDesktop::new();
    let outcome = stage.call("open", &["--no-wait", "kcalc"]);
    let answer = outcome.json();
    assert_eq!(answer["effect"], "unverified", "{outcome}");
    let pid = pid(&answer);
    assert!(
        wait_until(|| !stage.window_inspector().windows_of(pid).is_empty()),
        "the window did not appear"
    );
}
