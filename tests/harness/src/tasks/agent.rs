//! A scripted agent that works in one app: it calls `deskhand`, reads the result, and follows the
//! suggested next step.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::actions::answer::Answer;
use crate::timing::ELEMENT_TIMEOUT;
use crate::{App, Outcome, Program, TestDesktop};

/// A scripted agent for one app.
#[derive(Debug)]
pub struct Agent<'a> {
    desktop: &'a TestDesktop,
    app: String,
    /// Ends the app on drop, if the agent did not open it with `deskhand open`.
    _program: Option<Program>,
    /// All calls and results so far, printed if the task fails.
    log: RefCell<Vec<String>>,
}

impl Drop for Agent<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("{}", self.log.borrow().join("\n"));
        }
    }
}

impl<'a> Agent<'a> {
    /// Opens a program with `deskhand open`.
    pub fn open(desktop: &'a TestDesktop, name: &str, arguments: &[&str]) -> Self {
        let mut line = vec!["--timeout", "45", name];
        line.extend(arguments);
        let answer = desktop.effect("open", &line, "confirmed");
        let pid = answer["pid"].as_u64().unwrap_or_else(|| panic!("no pid: {answer}"));
        Self { desktop, app: pid.to_string(), _program: None, log: RefCell::default() }
    }

    /// Starts an app that needs a profile to avoid first-run dialogs.
    pub fn start(desktop: &'a TestDesktop, app: App) -> Self {
        let program = desktop.start_unread(app);
        let app = program.pid_text();
        Self { desktop, app, _program: Some(program), log: RefCell::default() }
    }

    /// Returns the process id of the app.
    pub fn pid(&self) -> u32 {
        self.app.parse().expect("a pid")
    }

    /// Runs `deskhand` once with these arguments, `--app`, `--format json` and a timeout.
    pub fn call(&self, arguments: &[&str]) -> Outcome {
        let mut line = arguments.to_vec();
        line.extend(["--app", &self.app, "--format", "json", "--timeout", ELEMENT_TIMEOUT]);
        let outcome = self.desktop.deskhand(&line);
        let answer = String::from_utf8_lossy(&outcome.stdout).into_owned();
        self.log.borrow_mut().push(format!("{arguments:?}: {answer}"));
        outcome
    }

    /// Performs an action in the background, or in focus mode if the result suggests it. The effect
    /// must be `confirmed`. Returns the strategy used.
    pub fn must_confirm(&self, arguments: &[&str]) -> String {
        let (outcome, answer) = self.background_then_focus(arguments);
        match &answer {
            Answer::Effect { effect, strategy, .. } if effect == "confirmed" => strategy.clone(),
            Answer::Effect { .. } | Answer::Failed { .. } | Answer::Unparsable(_) => {
                panic!("{answer}\n{outcome}")
            }
        }
    }

    /// Like [`Self::must_confirm`], for actions without a visible effect: `unverified` is accepted
    /// too.
    pub fn send(&self, arguments: &[&str]) {
        let (outcome, answer) = self.background_then_focus(arguments);
        assert!(matches!(answer.word(), "confirmed" | "unverified"), "{answer}\n{outcome}");
    }

    /// Performs an action in focus mode. The effect must be `confirmed`.
    pub fn with_real_input(&self, arguments: &[&str]) {
        let outcome = self.call(&[arguments, &["--mode", "focus"]].concat());
        let answer = Answer::from_outcome(&outcome);
        assert_eq!(answer.word(), "confirmed", "{answer}\n{outcome}");
    }

    /// Chooses an item of a combo box. Opens the list in focus mode if there is no other way.
    pub fn choose(&self, combo: &str, item: &str, in_list: &str) {
        let outcome = self.call(&["set", combo, item]);
        let answer = Answer::from_outcome(&outcome);
        if answer.word() == "confirmed" {
            return;
        }
        assert!(suggests_focus_mode(&outcome), "{answer}\n{outcome}");
        self.with_real_input(&["click", combo]);
        self.with_real_input(&["click", in_list]);
    }

    fn background_then_focus(&self, arguments: &[&str]) -> (Outcome, Answer) {
        let outcome = self.call(arguments);
        let answer = Answer::from_outcome(&outcome);
        if matches!(answer.word(), "refused" | "no_effect") && suggests_focus_mode(&outcome) {
            let outcome = self.call(&[arguments, &["--mode", "focus"]].concat());
            let answer = Answer::from_outcome(&outcome);
            return (outcome, answer);
        }
        (outcome, answer)
    }

    /// Waits until an element exists.
    pub fn wait_for(&self, query: &str) {
        let end = Instant::now() + Duration::from_secs(20);
        loop {
            let outcome = self.desktop.deskhand(&["find", query, "--app", &self.app]);
            if outcome.code == Some(0) {
                return;
            }
            assert!(Instant::now() < end, "{outcome}");
            std::thread::sleep(Duration::from_millis(100));
        }
    }

    /// Returns the path of a file in the desktop's home folder.
    pub fn home(&self, file: &str) -> PathBuf {
        self.desktop.info().home.join(file)
    }
}

/// Returns `true` if the result suggests focus mode.
fn suggests_focus_mode(outcome: &Outcome) -> bool {
    let value: Value = serde_json::from_slice(&outcome.stdout).unwrap_or_default();
    value["escalation"].as_str().is_some_and(|text| text.contains("--mode focus"))
}

/// Waits until a file has the expected content.
pub fn wait_for_file<T: PartialEq + std::fmt::Debug>(
    path: &Path,
    read: impl Fn(&Path) -> Option<T>,
    wanted: &T,
) {
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        let content = read(path);
        if content.as_ref() == Some(wanted) {
            return;
        }
        assert!(
            Instant::now() < end,
            "{} contains {content:?}, expected {wanted:?}; nearby files: {:?}",
            path.display(),
            path.parent().map(files_near)
        );
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// Lists the files of a folder and of its parent.
fn files_near(folder: &Path) -> Vec<PathBuf> {
    let all = folder.parent().into_iter().chain([folder]).filter_map(|one| one.read_dir().ok());
    all.flatten().filter_map(|entry| Some(entry.ok()?.path())).collect()
}
