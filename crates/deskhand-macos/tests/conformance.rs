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
    Error, Key, Named, Result,
    conformance::{self, Declared, Part, Pressing, Stop, Subject, Wanted},
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

impl Stop for Signals {
    fn stop(&self, pid: u32) -> Result<()> {
        Self::send(pid, Signal::STOP)
    }

    fn resume(&self, pid: u32) -> Result<()> {
        Self::send(pid, Signal::CONT)
    }
}

/// Runs every check against an app and reports all failures together.
fn conforms(subject: &Subject) {
    let desktop = open_hiding_env(Vec::new()).unwrap();
    let machine = LocalMachine::default();
    let declared = Declared {
        // There is one general pasteboard.
        absent: vec![Part::Primary],
        stop: Some(&Signals),
        machine: Some(&machine),
    };
    let reports = conformance::run(&desktop, subject, &declared, &[]);
    let all: Vec<String> = reports.iter().map(ToString::to_string).collect();
    let failed = reports.iter().filter(|report| report.failed()).count();
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
    let text = Wanted::any_of(&[Role::Text]);
    conforms(&Subject {
        program: "TextEdit".to_owned(),
        // Without a file, TextEdit may show an open dialog first.
        arguments: vec![text_of_file(folder.path()).display().to_string()],
        title: "conformance".to_owned(),
        elements: vec![text.clone(), Wanted::any_of(&[Role::MenuBar])],
        text: Some(text),
        new_window: Some(vec![Key::Named(Named::Logo), Key::Char('n')]),
        scripted: Some(PathBuf::from("/System/Applications/TextEdit.app")),
        legible: Some("conformance".to_owned()),
        near: Some(("TextEdi".to_owned(), "TextEdit".to_owned())),
        resizable: true,
        aside: true,
        ..Subject::default()
    });
}

#[test]
fn calculator_conforms() {
    // The names of the keys differ between versions.
    let seven = Wanted::any_of(&[Role::Button]).called(&["7", "seven"]);
    conforms(&Subject {
        program: "Calculator".to_owned(),
        title: "Calculator".to_owned(),
        elements: vec![seven.clone()],
        press: Some(Pressing {
            what: seven,
            action: "AXPress".to_owned(),
            times: 2,
            shows: "77".to_owned(),
        }),
        ends_when_asked: true,
        ..Subject::default()
    });
}

#[test]
fn finder_conforms() {
    let folder = tempfile::tempdir().unwrap();
    let shown = folder.path().join("conformance");
    std::fs::create_dir(&shown).unwrap();
    text_of_file(&shown);
    conforms(&Subject {
        program: "Finder".to_owned(),
        arguments: vec![shown.display().to_string()],
        title: "conformance".to_owned(),
        elements: vec![Wanted::any_of(&[Role::MenuBar]), Wanted::any_of(&[Role::Window])],
        resizable: true,
        ..Subject::default()
    });
}

#[test]
fn safari_conforms() {
    let pages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/apps/pages");
    conforms(&Subject {
        program: "Safari".to_owned(),
        arguments: vec![pages.join("form.html").canonicalize().unwrap().display().to_string()],
        title: "Form".to_owned(),
        elements: vec![Wanted::named(Role::Button, "Send")],
        text: Some(Wanted::any_of(&[Role::Entry, Role::Text]).called(&["Name"])),
        press: Some(Pressing {
            what: Wanted::named(Role::Button, "Send"),
            action: "AXPress".to_owned(),
            times: 1,
            shows: "Sent".to_owned(),
        }),
        legible: Some("Sign up".to_owned()),
        password: Some((
            Wanted::any_of(&[Role::Password]).called(&["Password"]),
            "hunter2-secret".to_owned(),
        )),
        resizable: true,
        ends_when_asked: true,
        ..Subject::default()
    });
}
