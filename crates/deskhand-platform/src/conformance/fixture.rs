//! The app under test, and helpers that wait for effects and find elements.

use std::{thread::sleep, time::Duration};

use deskhand_model::{App, Node, NodeId, Snapshot, Window};

use super::{
    ElementPattern, Environment, TestApp,
    timing::{CALL_TIMEOUT, EFFECT_TIMEOUT, POLL_INTERVAL, START_TIMEOUT},
};
use crate::{
    Clipboard, Deadline, Desktop, Dictionaries, Error, Identities, Input, NodeFields, Permissions,
    ProcessId, ProcessStatus, ProgramMatch, Programs, Screen, Termination, TextRecognizer,
    WalkOptions, WindowChange, Windows,
};

/// The reason why a check did not pass.
#[derive(Debug, Clone)]
pub(super) enum CheckError {
    Failed(String),
    NotInApp(&'static str),
}

pub(super) type CheckResult = Result<(), CheckError>;

impl From<Error> for CheckError {
    fn from(error: Error) -> Self {
        Self::Failed(error.to_string())
    }
}

/// Returns a failure with the given message, unless the condition holds.
macro_rules! ensure {
    ($condition:expr, $($message:tt)+) => {
        if !$condition {
            return Err($crate::conformance::fixture::CheckError::Failed(format!($($message)+)));
        }
    };
}
pub(super) use ensure;

/// Returns the deadline of one call.
pub(super) fn call_deadline() -> Deadline {
    Deadline::after(CALL_TIMEOUT)
}

/// Calls `problem` until it returns `None`. Fails with the last problem after `EFFECT_TIMEOUT`.
pub(super) fn eventually(
    problem: impl FnMut() -> Result<Option<String>, CheckError>,
) -> CheckResult {
    within(EFFECT_TIMEOUT, problem)
}

fn within(
    timeout: Duration,
    mut problem: impl FnMut() -> Result<Option<String>, CheckError>,
) -> CheckResult {
    let deadline = Deadline::after(timeout);
    loop {
        let Some(message) = problem()? else { return Ok(()) };
        if deadline.has_passed() {
            return Err(CheckError::Failed(message));
        }
        sleep(POLL_INTERVAL);
    }
}

/// The running app under test. Dropping it ends the app.
pub(super) struct Fixture<'a> {
    pub(super) desktop: &'a Desktop,
    pub(super) test_app: &'a TestApp,
    pub(super) environment: &'a Environment<'a>,
    pub(super) process: ProcessId,
    pub(super) app: App,
}

impl<'a> Fixture<'a> {
    /// Starts the app and waits until its tree is complete.
    pub(super) fn open(
        desktop: &'a Desktop,
        test_app: &'a TestApp,
        environment: &'a Environment<'a>,
    ) -> Result<Self, CheckError> {
        let programs = require(desktop.programs.as_deref(), "programs")?;
        let program = match programs.find(&test_app.program)? {
            ProgramMatch::One(program) => program,
            other @ (ProgramMatch::Several(_) | ProgramMatch::None { .. }) => {
                return Err(CheckError::Failed(format!(
                    "`Programs::find` of `{}` returned {other:?}",
                    test_app.program
                )));
            }
        };
        let process = programs.start(&program, &test_app.arguments, call_deadline())?;
        let app = match wait_for_app(desktop, programs, &process, &test_app.program) {
            Ok(app) => app,
            Err(error) => {
                // The app failed to start, so the process may already have ended.
                let _ = programs.terminate(&process, Termination::Kill);
                return Err(error);
            }
        };
        let fixture = Self { desktop, test_app, environment, process, app };
        within(START_TIMEOUT, || fixture.missing_element())?;
        fixture.wait_until_stable()?;
        Ok(fixture)
    }

    /// Describes the first expected element that is missing from the tree.
    fn missing_element(&self) -> Result<Option<String>, CheckError> {
        let tree = self.snapshot()?;
        let is_missing =
            |pattern: &&ElementPattern| !tree.iter().any(|(_, node)| pattern.matches(node));
        Ok(self
            .test_app
            .elements
            .iter()
            .find(is_missing)
            .map(|pattern| format!("{pattern:?} is not in the tree")))
    }

    /// Waits until the number of nodes no longer changes.
    fn wait_until_stable(&self) -> CheckResult {
        let mut last = 0;
        eventually(|| {
            let now = self.snapshot()?.len();
            let is_stable = now == last;
            last = now;
            Ok((!is_stable).then(|| format!("the tree still changes: {now} nodes")))
        })
    }

    /// Reads the whole tree with bounds and values.
    pub(super) fn snapshot(&self) -> Result<Snapshot, CheckError> {
        self.snapshot_with(NodeFields::STANDARD)
    }

    pub(super) fn snapshot_with(&self, fields: NodeFields) -> Result<Snapshot, CheckError> {
        let tree = &self.desktop.tree;
        Ok(tree.walk(
            &self.app,
            &self.app.root,
            &WalkOptions::with_fields(fields),
            call_deadline(),
        )?)
    }

    /// Returns the first element that matches, with all fields.
    pub(super) fn element(&self, pattern: &ElementPattern) -> Result<Node, CheckError> {
        let tree = self.snapshot_with(NodeFields::ALL)?;
        let found =
            tree.iter().find(|(_, node)| pattern.matches(node)).map(|(_, node)| node.clone());
        found.ok_or_else(|| CheckError::Failed(format!("{pattern:?} is not in the tree")))
    }

    /// Returns the text field.
    pub(super) fn text_field(&self) -> Result<Node, CheckError> {
        let pattern =
            self.test_app.text_field.as_ref().ok_or(CheckError::NotInApp("text field"))?;
        self.element(pattern)
    }

    /// Returns the current text of an element.
    pub(super) fn text_of(&self, id: &NodeId) -> Result<String, CheckError> {
        let text = self.desktop.tree.text(&self.app, id, call_deadline())?;
        text.map(|text| text.text).ok_or_else(|| CheckError::Failed(format!("{id:?} has no text")))
    }

    /// Waits until the text of an element equals `expected`.
    pub(super) fn wait_for_text(&self, id: &NodeId, expected: &str) -> CheckResult {
        eventually(|| {
            let now = self.text_of(id)?;
            // Some editors always append a line break.
            let same = now == expected || now.strip_suffix('\n') == Some(expected);
            Ok((!same).then(|| format!("the text is {now:?}, expected {expected:?}")))
        })
    }

    /// Returns the main window of the app.
    pub(super) fn window(&self) -> Result<Window, CheckError> {
        let all = self.own_windows()?;
        let titled = all.iter().find(|window| window.title.contains(&self.test_app.title));
        titled.cloned().ok_or_else(|| {
            CheckError::Failed(format!(
                "no window of the app is titled `{}`: {all:?}",
                self.test_app.title
            ))
        })
    }

    /// Returns every window of the app.
    pub(super) fn own_windows(&self) -> Result<Vec<Window>, CheckError> {
        let mut all = self.windows()?.list(call_deadline())?;
        all.retain(|window| window.pid == self.app.pid);
        Ok(all)
    }

    /// Focuses the main window and waits until it has the focus.
    pub(super) fn focus_window(&self) -> Result<Window, CheckError> {
        let id = self.window()?.id;
        self.windows()?.arrange(id, WindowChange::Focus, call_deadline())?;
        eventually(|| {
            let now = self.window()?;
            Ok((!now.focused).then(|| format!("{now:?} does not have the focus")))
        })?;
        self.window()
    }

    pub(super) fn windows(&self) -> Result<&dyn Windows, CheckError> {
        require(self.desktop.windows.as_deref(), "windows")
    }

    pub(super) fn screen(&self) -> Result<&dyn Screen, CheckError> {
        require(self.desktop.screen.as_deref(), "screen")
    }

    pub(super) fn input(&self) -> Result<&dyn Input, CheckError> {
        require(self.desktop.input.as_deref(), "input")
    }

    pub(super) fn clipboard(&self) -> Result<&dyn Clipboard, CheckError> {
        require(self.desktop.clipboard.as_deref(), "clipboard")
    }

    pub(super) fn programs(&self) -> Result<&dyn Programs, CheckError> {
        require(self.desktop.programs.as_deref(), "programs")
    }

    pub(super) fn identities(&self) -> Result<&dyn Identities, CheckError> {
        require(self.desktop.identities.as_deref(), "identities")
    }

    pub(super) fn permissions(&self) -> Result<&dyn Permissions, CheckError> {
        require(self.desktop.permissions.as_deref(), "permissions")
    }

    pub(super) fn dictionaries(&self) -> Result<&dyn Dictionaries, CheckError> {
        require(self.desktop.dictionaries.as_deref(), "dictionaries")
    }

    pub(super) fn text_recognizer(&self) -> Result<&dyn TextRecognizer, CheckError> {
        require(self.desktop.text_recognizer.as_deref(), "text recognizer")
    }
}

impl Drop for Fixture<'_> {
    fn drop(&mut self) {
        let Ok(programs) = self.programs() else { return };
        let processes = programs.process(self.app.pid).into_iter().chain([self.process]);
        for process in processes {
            // A check may have ended the app already.
            let _ = programs.terminate(&process, Termination::Kill);
            let deadline = Deadline::after(EFFECT_TIMEOUT);
            while programs.status(&process) == ProcessStatus::Running && !deadline.has_passed() {
                sleep(POLL_INTERVAL);
            }
        }
    }
}

/// Waits until the process has a window in the accessibility tree, and returns its app.
fn wait_for_app(
    desktop: &Desktop,
    programs: &dyn Programs,
    process: &ProcessId,
    name: &str,
) -> Result<App, CheckError> {
    let mut found = None;
    within(START_TIMEOUT, || {
        let apps = desktop.tree.apps(call_deadline())?;
        let is_ours = |app: &&App| app.windows > 0 && programs.is_descendant(app.pid, process);
        found = apps.iter().find(is_ours).cloned();
        let names: Vec<&str> = apps.iter().map(|app| app.name.as_str()).collect();
        Ok(found.is_none().then(|| format!("`{name}` is not among the apps {names:?}")))
    })?;
    found.ok_or_else(|| CheckError::Failed(format!("`{name}` ended")))
}

fn require<'a, T: ?Sized>(part: Option<&'a T>, name: &str) -> Result<&'a T, CheckError> {
    part.ok_or_else(|| CheckError::Failed(format!("this desktop has no `{name}`")))
}
