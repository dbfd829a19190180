//! Apps that react in ways that are easy to misread. The log of the app decides what happened.
#![allow(clippy::expect_used, reason = "tests")]

use std::path::PathBuf;

use harness::inspect::wait_until;
use harness::{App, Program, TestDesktop};
use serde_json::Value;

/// A window of `gtk3_reactions.py` or `qt_reactions.py` with its log.
struct Reactions {
    stage: TestDesktop,
    app: Program,
    log: PathBuf,
    /// The number of log lines that earlier steps expected.
    expected_lines: usize,
}

impl Reactions {
    fn start(app: App) -> Self {
        let stage = TestDesktop::new();
        let app = stage.start(app);
        let log = stage.info().home.join("reactions.log");
        Self { stage, app, log, expected_lines: 0 }
    }

    /// Runs an acting command and returns its answer.
    fn act(&self, arguments: &[&str]) -> Value {
        let pid = self.app.pid_text();
        let outcome =
            self.stage.deskhand(&[arguments, &["--app", &pid, "--format", "json"]].concat());
        serde_json::from_slice(&outcome.stdout).unwrap_or_else(|error| panic!("{outcome}: {error}"))
    }

    fn log_lines(&self) -> Vec<String> {
        let text = std::fs::read_to_string(&self.log).expect("the app writes its log");
        text.lines().map(str::to_owned).collect()
    }

    /// Waits until the app has logged exactly these lines since the last call.
    fn expect_log(&mut self, lines: &[&str]) {
        let logged = wait_until(|| self.log_lines()[self.expected_lines..] == *lines);
        assert!(logged, "expected {lines:?} at the end of {:?}", self.log_lines());
        self.expected_lines += lines.len();
    }

    /// Clicks a widget that opens the modal dialog, and answers the dialog. The caller of the dialog
    /// is blocked in the meantime.
    fn check_modal_dialog(&mut self, opener: &str) {
        let opened = self.act(&["click", opener]);
        assert_eq!(opened["effect"], "confirmed", "{opened}");
        for part in ["Choose options", "Some option", "Accept"] {
            assert!(opened["changes"].to_string().contains(part), "no {part}: {opened}");
        }
        self.expect_log(&["dialog opened"]);
        let answered = self.act(&["click", "Accept"]);
        assert_eq!(answered["effect"], "confirmed", "{answered}");
        self.expect_log(&["dialog accepted"]);
    }

    /// Waits until the app has logged new lines that end with this one.
    fn expect_log_end(&mut self, last: &str) {
        let ends = |lines: &[String]| lines.last().is_some_and(|line| line == last);
        let logged = wait_until(|| ends(&self.log_lines()[self.expected_lines..]));
        assert!(logged, "expected {last:?} at the end of {:?}", self.log_lines());
        self.expected_lines = self.log_lines().len();
    }

    /// Sets fields of a Qt group by labels that only the layout connects with them. Keys must not reach
    /// a document as text.
    fn check_fields_in_a_group(&mut self) {
        for (field, value, logged) in
            [("Paper size", "A5", "size A5"), ("Number of copies", "3", "copies 3")]
        {
            let set = self.act(&["set", field, value]);
            assert_eq!(set["effect"], "confirmed", "{set}");
            self.expect_log_end(logged);
        }
        let tree = self.stage.deskhand(&["tree", "--app", &self.app.pid_text()]);
        let outline = String::from_utf8_lossy(&tree.stdout).into_owned();
        let has_label_and_choice =
            |line: &str| line.contains("\"Paper size:\"") && line.contains("= \"A5\"");
        assert!(outline.lines().any(has_label_and_choice), "{outline}");
        let clicked = self.act(&["click", "Notes", "--mode", "focus"]);
        assert!(clicked["effect"].is_string(), "{clicked}");
        self.act(&["set", "Paper size", "A3"]);
        let lines = self.log_lines();
        let typed = lines.iter().any(|line| line.starts_with("notes"));
        assert!(!typed, "a key was typed into the document: {lines:?}");
    }

    /// Changes the check box that springs back and the entry that rewrites its text.
    fn check_corrections(&mut self) {
        for (arguments, settled) in [
            (&["click", "Spring"][..], "spring False"),
            (&["set", "Spring", "true"], "spring False"),
            (&["type", "hello", "--into", "Upper"], "upper HELLO"),
        ] {
            let answer = self.act(arguments);
            assert_ne!(answer["effect"], "confirmed", "{answer}");
            self.expect_log_end(settled);
        }
    }

    fn check_button_without_effect(&mut self) {
        let answer = self.act(&["click", "Do nothing"]);
        assert_eq!(answer["effect"], "unverified", "{answer}");
        self.expect_log(&["nothing done"]);
    }
}

#[test]
fn gtk3_reactions_are_reported_as_the_app_logs_them() {
    let mut window = Reactions::start(App::Fixture("gtk3_reactions.py", &[]));
    window.check_modal_dialog("Open options");
    window.check_modal_dialog("Options");
    window.check_corrections();
    window.check_button_without_effect();

    let header = window.act(&["find", "Fruit"]);
    let sorted = window.act(&["click", header["element_ref"].as_str().expect("a reference")]);
    window.expect_log(&["order apple pear quince"]);
    assert!(sorted["changes"].to_string().contains("reordered"), "{sorted}");

    let pid = window.app.pid_text();
    let arguments = ["click", "Late > Do it", "--app", &pid, "--format", "json"];
    let hint = window.stage.deskhand(&arguments).error()["hint"].to_string();
    assert!(hint.contains("has items only while it is open"), "{hint}");
    let late = window.act(&["click", "Late > Do it", "--mode", "focus"]);
    assert!(late["effect"].is_string(), "{late}");
    window.expect_log(&["did it"]);

    // A list with several columns selects rows and refuses to select cells.
    let row = window.act(&["click", "invoice"]);
    assert_eq!(row["effect"], "unverified", "a click could do more than select: {row}");
    window.expect_log_end("rows invoice");
    let list = "//*[columnheader[@title='Document']]";
    let both = window.act(&["select", list, "report", "contract"]);
    assert_eq!(both["effect"], "confirmed", "{both}");
    window.expect_log_end("rows report contract");

    let icons = window.act(&["find", "role:icon", "--all"]);
    let photo = icons[1]["element_ref"].as_str().expect("the second icon has a reference");
    let clicked = window.act(&["click", photo]);
    assert_eq!(clicked["effect"], "unverified", "a click could do more than select: {clicked}");
    window.expect_log(&["selected photo.png"]);
    let opened = window.act(&["act", "activate", photo]);
    assert!(["confirmed", "unverified"].contains(&opened["effect"].as_str().unwrap_or_default()));
    window.expect_log(&["opened photo.png"]);
}

fn check_qt(version: &'static [&'static str]) {
    let mut window = Reactions::start(App::Fixture("qt_reactions.py", version));
    window.check_modal_dialog("Open options");
    window.check_corrections();
    window.check_button_without_effect();

    // `Toggle` switches a toolbar button without its command. The menu item runs the command.
    let view = window.act(&["click", "role:checkbox title:\"List view\""]);
    assert_eq!(view["effect"], "confirmed", "{view}");
    window.expect_log(&["toggled List view True", "triggered List view"]);
    let lock = window.act(&["click", "Lock"]);
    assert_eq!(lock["effect"], "refused", "{lock}");

    let remembered = window.act(&["click", "Remember"]);
    assert_eq!(remembered["effect"], "confirmed", "{remembered}");
    window.expect_log(&["clicked Remember True"]);

    let page = window.act(&["click", "role:listitem title:Network"]);
    if page["effect"] == "confirmed" {
        window.expect_log_end("page Network");
    }
    let lines = window.log_lines();
    assert!(
        !lines.iter().any(|line| line.contains("Lock")),
        "the refused click changed it: {lines:?}"
    );
    window.check_fields_in_a_group();
}

#[test]
fn qt5_reactions_are_reported_as_the_app_logs_them() {
    check_qt(&["5"]);
}

#[test]
fn qt6_reactions_are_reported_as_the_app_logs_them() {
    check_qt(&["6"]);
}
