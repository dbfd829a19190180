//! Runs the platform conformance suite against apps that every Mac has. It needs a login session with a
//! screen, and the Accessibility and Screen Recording permissions for the program that starts it. Run
//! `deskhand check` to see which are missing.
//!
//! The apps share one keyboard and one screen, so run it with `-- --test-threads=1`.
#![cfg(target_os = "macos")]
#![allow(clippy::unwrap_used, reason = "a panic is how a test reports")]

use std::path::{Path, PathBuf};

use deskhand_macos::{LocalMachine, open_hiding_env};
use deskhand_model::Role;
use deskhand_platform::{
    Error, Key, NamedKey, Result,
    conformance::{
        self, Capability, ElementPattern, Environment, PressTarget, ProcessControl, TestApp,
    },
};
use rustix::process::{Pid, Signal, kill_process};

/// Suspends processes with SIGSTOP.
struct Signals;

impl Signals {
    fn send(pid: u32, signal: Signal) -> Result<()> {
        let gone = || Error::Gone { what: format!("process {pid}") };
        let pid = Pid::from_raw(pid.cast_signed()).ok_or_else(gone)?;
        kill_process(pid, signal).map_err(|_| gone())
    }
}

impl ProcessControl for Signals {
    fn suspend(&self, pid: u32) -> Result<()> {
        Self::send(pid, Signal::STOP)
    }

    fn resume(&self, pid: u32) -> Result<()> {
        Self::send(pid, Signal::CONT)
    }
}

/// Runs every check against an app and reports all failures together.
fn conforms(subject: &TestApp) {
    let desktop = open_hiding_env(Vec::new()).unwrap();
    let machine = LocalMachine::default();
    let declared = Environment {
        // There is one general pasteboard.
        absent: vec![Capability::Primary],
        process_control: Some(&Signals),
        machine: Some(&machine),
    };
    let reports = conformance::run(&desktop, subject, &declared, &[]);
    let all: Vec<String> = reports.iter().map(ToString::to_string).collect();
    let failed = reports.iter().filter(|report| report.is_failure()).count();
    assert_eq!(failed, 0, "{}:\n{}", subject.program, all.join("\n"));
    eprintln!("{}:\n{}", subject.program, all.join("\n"));
}

fn text_of_file(folder: &Path) -> PathBuf {
    let file = folder.join("conformance.txt");
    std::fs::write(&file, "").unwrap();
    file
}

#[test]
fn textedit_conforms() {
    let folder = tempfile::tempdir().unwrap();
    let text = ElementPattern::with_roles(&[Role::Text]);
    conforms(&TestApp {
        program: "TextEdit".to_owned(),
        // Without a file, TextEdit may show an open dialog first.
        arguments: vec![text_of_file(folder.path()).display().to_string()],
        title: "conformance".to_owned(),
        elements: vec![text.clone(), ElementPattern::with_roles(&[Role::MenuBar])],
        text_field: Some(text),
        new_window_keys: Some(vec![Key::Named(NamedKey::Logo), Key::Char('n')]),
        scriptable_path: Some(PathBuf::from("/System/Applications/TextEdit.app")),
        visible_text: Some("conformance".to_owned()),
        misspelled: Some(("TextEdi".to_owned(), "TextEdit".to_owned())),
        resizable: true,
        background_keys: true,
        ..TestApp::default()
    });
}

#[test]
fn calculator_conforms() {
    // The names of the keys differ between versions.
    let seven = ElementPattern::with_roles(&[Role::Button]).with_names(&["7", "seven"]);
    conforms(&TestApp {
        program: "Calculator".to_owned(),
        title: "Calculator".to_owned(),
        elements: vec![seven.clone()],
        press_target: Some(PressTarget {
            element: seven,
            action: "AXPress".to_owned(),
            times: 2,
            expected_text: "77".to_owned(),
        }),
        exits_on_request: true,
        ..TestApp::default()
    });
}

#[test]
fn finder_conforms() {
    let folder = tempfile::tempdir().unwrap();
    let shown = folder.path().join("conformance");
    std::fs::create_dir(&shown).unwrap();
    text_of_file(&shown);
    conforms(&TestApp {
        program: "Finder".to_owned(),
        arguments: vec![shown.display().to_string()],
        title: "conformance".to_owned(),
        elements: vec![
            ElementPattern::with_roles(&[Role::MenuBar]),
            ElementPattern::with_roles(&[Role::Window]),
        ],
        resizable: true,
        ..TestApp::default()
    });
}

#[test]
fn safari_conforms() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/apps/pages");
    conforms(&TestApp {
        program: "Safari".to_owned(),
        arguments: vec![pages.join("form.html").canonicalize().unwrap().display().to_string()],
        title: "Form".to_owned(),
        elements: vec![ElementPattern::with_name(Role::Button, "Send")],
        text_field: Some(
            ElementPattern::with_roles(&[Role::Entry, Role::Text]).with_names(&["Name"]),
        ),
        press_target: Some(PressTarget {
            element: ElementPattern::with_name(Role::Button, "Send"),
            action: "AXPress".to_owned(),
            times: 1,
            expected_text: "Sent".to_owned(),
        }),
        visible_text: Some("Sign up".to_owned()),
        password_field: Some((
            ElementPattern::with_roles(&[Role::Password]).with_names(&["Password"]),
            "hunter2-secret".to_owned(),
        )),
        resizable: true,
        exits_on_request: true,
        ..TestApp::default()
    });
}
