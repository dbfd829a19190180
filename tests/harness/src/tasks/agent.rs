//! An agent at work in one app: it calls `deskhand`, reads the answer, and does what the answer
//! says to try next.

use std::cell::RefCell;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use serde_json::Value;

use crate::actions::answer::Answer;
use crate::{App, Outcome, Program, TestDesktop};

/// How long an element may take to be there and ready on a busy machine.
const ELEMENT_TIMEOUT: &str = "15";

/// An agent that works in one app.
#[derive(Debug)]
pub struct Agent<'a> {
    desktop: &'a TestDesktop,
    app: String,
    /// Ends an app the agent did not open itself.
    _program: Option<Program>,
    /// What was done and answered so far, told when the work fails.
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
    /// Opens a program by `deskhand open`.
    pub fn open(desktop: &'a TestDesktop, name: &str, arguments: &[&str]) -> Self {
        let mut line = vec!["--timeout", "45", name];
        line.extend(arguments);
        let answer = desktop.effect("open", &line, "confirmed");
        let pid = answer["pid"].as_u64().unwrap_or_else(|| panic!("no pid: {answer}"));
        Self { desktop, app: pid.to_string(), _program: None, log: RefCell::default() }
    }

    /// Works in an app that needs a profile to start without questions.
    pub fn start(desktop: &'a TestDesktop, app: App) -> Self {
        let program = desktop.start_unread(app);
        let app = program.pid_text();
        Self { desktop, app, _program: Some(program), log: RefCell::default() }
    }

    /// The process of the app.
    pub fn pid(&self) -> u32 {
        self.app.parse().expect("a pid")
    }

    /// Calls `deskhand` once, exactly so.
    pub fn call(&self, words: &[&str]) -> Outcome {
        let mut line = words.to_vec();
        line.extend(["--app", &self.app, "--format", "json", "--timeout", ELEMENT_TIMEOUT]);
        let outcome = self.desktop.deskhand(&line);
        let answer = String::from_utf8_lossy(&outcome.stdout).into_owned();
        self.log.borrow_mut().push(format!("{words:?}: {answer}"));
        outcome
    }

    /// Does something in the background, and in focus mode when the answer says so. It must be
    /// confirmed; the way it was done.
    pub fn must_confirm(&self, words: &[&str]) -> String {
        let (outcome, answer) = self.background_then_focus(words);
        match &answer {
            Answer::Effect { effect, strategy, .. } if effect == "confirmed" => strategy.clone(),
            Answer::Effect { .. } | Answer::Failed { .. } | Answer::Unparsable(_) => {
                panic!("{answer}\n{outcome}")
            }
        }
    }

    /// The same for what nothing in the app can show: it may also be unverified.
    pub fn send(&self, words: &[&str]) {
        let (outcome, answer) = self.background_then_focus(words);
        assert!(matches!(answer.word(), "confirmed" | "unverified"), "{answer}\n{outcome}");
    }

    /// Does something with the real pointer and keyboard; it must be confirmed.
    pub fn with_real_input(&self, words: &[&str]) {
        let outcome = self.call(&[words, &["--mode", "focus"]].concat());
        let answer = Answer::from_outcome(&outcome);
        assert_eq!(answer.word(), "confirmed", "{answer}\n{outcome}");
    }

    /// Chooses an item of a combo box, by opening it in front when there is no other way.
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

    fn background_then_focus(&self, words: &[&str]) -> (Outcome, Answer) {
        let outcome = self.call(words);
        let answer = Answer::from_outcome(&outcome);
        if matches!(answer.word(), "refused" | "no_effect") && suggests_focus_mode(&outcome) {
            let outcome = self.call(&[words, &["--mode", "focus"]].concat());
            let answer = Answer::from_outcome(&outcome);
            return (outcome, answer);
        }
        (outcome, answer)
    }

    /// Looks again until an element is there.
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

    /// The home folder of the desktop.
    pub fn home(&self, file: &str) -> PathBuf {
        self.desktop.info().home.join(file)
    }
}

/// Whether an answer tells the agent to go on in focus mode.
fn suggests_focus_mode(outcome: &Outcome) -> bool {
    let value: Value = serde_json::from_slice(&outcome.stdout).unwrap_or_default();
    value["escalation"].as_str().is_some_and(|text| text.contains("--mode focus"))
}

/// Waits until a file holds what it should, as a whole; programs write when they like.
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
            "{} holds {content:?}, should hold {wanted:?}; beside it are {:?}",
            path.display(),
            path.parent().map(files_near)
        );
        std::thread::sleep(Duration::from_millis(50));
    }
}

/// The files of a folder and of the one above it.
fn files_near(folder: &Path) -> Vec<PathBuf> {
    let all = folder.parent().into_iter().chain([folder]).filter_map(|one| one.read_dir().ok());
    all.flatten().filter_map(|entry| Some(entry.ok()?.path())).collect()
}
