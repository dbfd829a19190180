//! Programs, with or without an accessibility tree: starting, finding and ending them.

mod arrival;
mod quit;
mod start;

use std::time::Duration;

use deskhand_model::{Advice, App, Step, Window, outline::quote};
use deskhand_platform::{
    Deadline, Error as Below, ProcessId, ProcessStatus, Programs, Termination,
};

pub use self::{
    quit::{QuitMode, quit},
    start::{StartMode, StartedProgram, start},
};
use crate::{
    Context, Error, Result,
    app::naming,
    effect::{Evidence, EvidenceKind},
    timing,
    windows::{self, label},
};

/// The number of characters of a window title that advice shows.
const MAX_TITLE_CHARS: usize = 60;

/// A running program.
pub struct RunningProgram {
    /// Its name.
    pub name: String,
    /// Its process id.
    pub pid: u32,
    /// Its app, if it has an accessibility tree.
    pub app: Option<App>,
    /// Its windows, the frontmost first.
    pub windows: Vec<Window>,
}

impl RunningProgram {
    /// Returns its windows in index order: the frontmost first, minimized ones last.
    pub fn windows_by_index(&self) -> Vec<Window> {
        let mut windows = self.windows.clone();
        windows.sort_by_key(|window| window.minimized);
        windows
    }
}

/// Returns the programs of this machine.
pub fn programs<'a>(cx: &Context<'a>) -> Result<&'a dyn Programs> {
    cx.desktop
        .programs
        .as_deref()
        .ok_or(Error::MissingCapability { part: "way to start and end programs" })
}

/// Lists all windows; empty without a window system.
pub(crate) fn list_windows(
    cx: &Context<'_>,
    deadline: Deadline,
) -> deskhand_platform::Result<Vec<Window>> {
    cx.desktop.windows.as_ref().map_or_else(|| Ok(Vec::new()), |windows| windows.list(deadline))
}

/// Returns the programs that have windows but no tree, sorted by name.
pub(crate) fn treeless_programs(windows: &[Window], apps: &[App]) -> Vec<RunningProgram> {
    let has_tree = |pid: u32| apps.iter().any(|app| app.pid == pid);
    let mut programs: Vec<RunningProgram> = Vec::new();
    for window in windows.iter().filter(|window| window.pid != 0 && !has_tree(window.pid)) {
        match programs.iter_mut().find(|program| program.pid == window.pid) {
            Some(program) => program.windows.push(window.clone()),
            None => {
                let name = window.app.clone().unwrap_or_else(|| window.class.clone());
                let (pid, windows) = (window.pid, vec![window.clone()]);
                programs.push(RunningProgram { name, pid, app: None, windows });
            }
        }
    }
    programs.sort_by(|one, other| one.name.cmp(&other.name));
    programs
}

/// Returns the running program that a caller names, as an app with a tree or else by its windows.
pub fn resolve_program(cx: &Context<'_>, wanted: &str) -> Result<RunningProgram> {
    let all = list_windows(cx, cx.deadline)?;
    match crate::app::resolve_app(cx, Some(wanted)) {
        Ok(app) => {
            let (name, pid) = (app.name.clone(), app.pid);
            let windows = all.into_iter().filter(|window| window.pid == pid).collect();
            Ok(RunningProgram { name, pid, windows, app: Some(app) })
        }
        Err(Error::NoTree { wanted, pid, window }) => {
            let mut programs = treeless_programs(&all, &[]).into_iter();
            // A window that closes in between takes its program with it.
            programs.find(|program| program.pid == pid).ok_or(Error::NoTree { wanted, pid, window })
        }
        Err(error @ Error::Platform(Below::NoAccessibility { .. })) => {
            let named = naming::find_program(treeless_programs(&all, &[]), wanted)?;
            named.ok_or(error)
        }
        Err(error) => Err(error),
    }
}

/// Returns a window that the program has opened since, typically a question.
pub(crate) fn find_new_window<'a>(
    before: &[Window],
    now: &'a [Window],
    pid: u32,
) -> Option<&'a Window> {
    let is_new = |window: &&Window| before.iter().all(|known| known.id != window.id);
    now.iter().filter(|window| window.pid == pid && pid != 0).find(is_new)
}

/// Returns evidence that a window opened.
pub(crate) fn window_opened(window: &Window) -> Evidence {
    Evidence::new(EvidenceKind::Window, format!("window {} opened", label(window)))
}

/// Returns the next step for a window that asks a question.
pub(crate) fn dialog_advice(window: &Window) -> Advice {
    Advice::from(format!("{} shows a question: respond to it first (", label(window)))
        .step(Step::ReadTree { pid: Some(window.pid) })
        .text("), or use ")
        .step(Step::Argument("force"))
        .text(", which discards unsaved changes")
}

/// Returns the next step for a window that stays open without asking in another window, up to the
/// argument that ends its program.
pub(crate) fn unanswered_advice() -> Advice {
    Advice::from("it may show a question inside its window, or be frozen: check with ")
        .step(Step::ReadTree { pid: None })
        .text("; ")
        .step(Step::Argument("force"))
}

/// Returns what works in an app without a tree.
pub fn without_tree_advice(window: &str) -> Advice {
    Advice::from(format!("see {} with ", quote(window, MAX_TITLE_CHARS)))
        .step(Step::Screenshot)
        .text(", then use ")
        .step(Step::PressKey)
        .text(", ")
        .step(Step::TypeText)
        .text(" without an element, or ")
        .step(Step::ClickPoint)
        .text(
            "; a program whose toolkit supports accessibility may show a tree if it is started \
             again after accessibility was enabled",
        )
}

/// Returns the name of a way to end a process.
pub(crate) fn end_method(end: Termination) -> &'static str {
    match end {
        Termination::Request => "signal to end",
        Termination::Kill => "kill",
    }
}

/// Kills a process and the processes that belong to it.
pub(crate) fn kill(cx: &Context<'_>, process: &ProcessId, family: &[ProcessId]) -> Result<()> {
    let programs = programs(cx)?;
    programs.terminate(process, Termination::Kill)?;
    for member in family.iter().filter(|member| *member != process) {
        match programs.terminate(member, Termination::Kill) {
            // Most of them end together with the first.
            Ok(()) | Err(Below::Gone { .. }) => {}
            Err(error) => return Err(windows::sent_error(error)),
        }
    }
    Ok(())
}

/// Waits until all processes have ended. Returns `false` after the timeout.
pub(crate) fn wait_until_ended(cx: &Context<'_>, all: &[ProcessId], timeout: Duration) -> bool {
    let Ok(programs) = programs(cx) else { return false };
    let deadline = Deadline::after(timeout);
    loop {
        if all.iter().all(|process| programs.status(process) != ProcessStatus::Running) {
            return true;
        }
        if deadline.has_passed() {
            return false;
        }
        std::thread::sleep(timing::PROCESS_POLL_INTERVAL);
    }
}
