//! Programs, with or without an accessibility tree: starting, finding and ending them.

mod arrival;
mod quit;
mod start;

use std::time::Duration;

use deskhand_model::{Advice, App, Step, Window};
use deskhand_platform::{
    Deadline, Error as Below, ProcessId, ProcessStatus, Programs, Termination,
};

pub use self::{
    quit::{QuitMode, quit},
    start::{StartMode, StartedProgram, start},
};
use crate::{
    Context, Error, Result,
    effect::{Evidence, EvidenceKind},
    error::Instance,
    timing,
    windows::{self, label},
};

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
pub fn list_windows(
    cx: &Context<'_>,
    deadline: Deadline,
) -> deskhand_platform::Result<Vec<Window>> {
    cx.desktop.windows.as_ref().map_or_else(|| Ok(Vec::new()), |windows| windows.list(deadline))
}

/// Returns the running program that a caller names, as an app with a tree or else by its windows.
pub fn resolve_program(cx: &Context<'_>, wanted: &str) -> Result<RunningProgram> {
    let all = list_windows(cx, cx.deadline)?;
    let of = |pid: u32| all.iter().filter(|window| window.pid == pid).cloned().collect();
    let error = match crate::app::resolve_app(cx, Some(wanted)) {
        Ok(app) => {
            let (name, pid) = (app.name.clone(), app.pid);
            return Ok(RunningProgram { name, pid, windows: of(pid), app: Some(app) });
        }
        Err(
            error @ (Error::NoApp { .. }
            | Error::NoTree { .. }
            | Error::Platform(Below::NoAccessibility { .. })),
        ) => error,
        Err(other) => return Err(other),
    };
    let mut named = windows::windows_of_program(&all, wanted);
    named.extend(all.iter().filter(|window| window.pid.to_string() == wanted).cloned());
    named.retain(|window| window.pid != 0);
    let Some(first) = named.first() else { return Err(error) };
    if named.iter().any(|window| window.pid != first.pid) {
        let instance = |window: &Window| Instance { name: label(window), pid: window.pid };
        return Err(Error::AmbiguousApp {
            wanted: wanted.to_owned(),
            matching: named.iter().map(instance).collect(),
        });
    }
    let name = first.app.clone().unwrap_or_else(|| first.class.clone());
    Ok(RunningProgram { name, pid: first.pid, app: None, windows: of(first.pid) })
}

/// Returns a window that the program has opened since, typically a question.
pub fn find_new_window<'a>(before: &[Window], now: &'a [Window], pid: u32) -> Option<&'a Window> {
    let is_new = |window: &&Window| before.iter().all(|known| known.id != window.id);
    now.iter().filter(|window| window.pid == pid && pid != 0).find(is_new)
}

/// Returns evidence that a window opened.
pub fn window_opened(window: &Window) -> Evidence {
    Evidence::new(EvidenceKind::Window, format!("window {} opened", label(window)))
}

/// Returns the next step for a window that asks a question.
pub fn dialog_advice(window: &Window) -> Advice {
    Advice::from(format!("{} asks something first: answer it (", label(window)))
        .step(Step::ReadTree { pid: Some(window.pid) })
        .text("), or use ")
        .step(Step::Argument("force"))
        .text(", which loses what is not saved")
}

/// Returns the next step for a window that stays open without asking in another window, up to the
/// argument that ends its program.
pub fn unanswered_advice() -> Advice {
    Advice::from("it may show a question inside its window, or be frozen: check with ")
        .step(Step::ReadTree { pid: None })
        .text("; ")
        .step(Step::Argument("force"))
}

/// Returns the name of a way to end a process.
pub fn end_method(end: Termination) -> &'static str {
    match end {
        Termination::Request => "signal to end",
        Termination::Kill => "kill",
    }
}

/// Kills a process and the processes that belong to it.
pub fn kill(cx: &Context<'_>, process: &ProcessId, family: &[ProcessId]) -> Result<()> {
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
pub fn wait_until_ended(cx: &Context<'_>, all: &[ProcessId], timeout: Duration) -> bool {
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
