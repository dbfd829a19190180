//! Starting a program.

use deskhand_model::{Advice, Step, Window};
use deskhand_platform::{LaunchableProgram, ProcessId, ProcessStatus, ProgramMatch};

use super::{
    arrival::{self, InitialWindows, StartOutcome, WindowChange},
    programs,
};
use crate::{
    Context, Error, Result,
    effect::{ActionEffect, ActionOutcome, Evidence, EvidenceKind},
    windows,
};

/// The moment at which a start returns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StartMode {
    /// When the window of the program is open and its tree is readable, or clearly will not be.
    WaitUntilReady,
    /// When the process has started.
    Detach,
}

/// A started program.
#[derive(Debug)]
pub struct StartedProgram {
    /// The outcome of the start.
    pub outcome: ActionOutcome,
    /// The name of the app.
    pub app: Option<String>,
    /// The process id of the app, or of the started process.
    pub pid: u32,
    /// The id of its window.
    pub window: Option<u64>,
    /// `true` if its tree can be read.
    pub has_tree: bool,
    /// Arguments that were added to enable accessibility or to make the program run.
    pub added_arguments: Vec<String>,
}

/// Starts a program: a name as shown in menus, a desktop-file id, a program on the search path, or a path.
///
/// # Errors
///
/// Fails if no program or several programs have this name, or the process cannot be started.
pub fn start(
    cx: &Context<'_>,
    name: &str,
    arguments: &[String],
    mode: StartMode,
) -> Result<StartedProgram> {
    let program = find_program(cx, name)?;
    let before = InitialWindows::read(cx)?;
    let process = programs(cx)?.start(&program, arguments, cx.deadline)?;
    match mode {
        StartMode::WaitUntilReady => {
            let started = arrival::wait_until_ready(cx, &program, &process, &before)?;
            Ok(report(program, process, started))
        }
        StartMode::Detach => Ok(detached(program, process)),
    }
}

/// Reports a process whose window is not waited for.
fn detached(program: LaunchableProgram, process: ProcessId) -> StartedProgram {
    let mut outcome = ActionOutcome::new(ActionEffect::Unverified, "start").on(&program.name);
    let started = format!("process {} started", process.pid);
    outcome.evidence.push(Evidence::new(EvidenceKind::Process, started));
    let next = Advice::new().step(Step::WaitForApp { pid: process.pid }).text(" waits for it");
    StartedProgram {
        outcome: outcome.with_next_step(next),
        app: None,
        pid: process.pid,
        window: None,
        has_tree: false,
        added_arguments: program.added_arguments,
    }
}

fn find_program(cx: &Context<'_>, wanted: &str) -> Result<LaunchableProgram> {
    let program = match programs(cx)?.find(wanted)? {
        ProgramMatch::One(program) => program,
        ProgramMatch::Several(found) => {
            let called = |one: LaunchableProgram| one.id.unwrap_or(one.name);
            let matching = found.into_iter().map(called).collect();
            return Err(Error::AmbiguousProgram { wanted: wanted.to_owned(), matching });
        }
        ProgramMatch::None { suggestions: near } => {
            return Err(Error::NoProgram { wanted: wanted.to_owned(), near });
        }
    };
    if program.needs_terminal {
        return Err(Error::NeedsTerminal { program: program.name });
    }
    Ok(program)
}

/// Reports a program after the wait for it.
fn report(program: LaunchableProgram, process: ProcessId, started: StartOutcome) -> StartedProgram {
    let has_tree = started.app.as_ref().is_some_and(|app| app.windows > 0);
    let mut outcome = ActionOutcome::new(effect_of(&started, has_tree), "start").on(&program.name);
    outcome.evidence.push(process_evidence(&process, &started));
    if let Some(window) = &started.window {
        outcome.evidence.push(window_evidence(window, started.window_change));
    }
    if let Some(app) = started.app.as_ref().filter(|app| app.windows > 0) {
        let toolkit = format!("{} {}", app.toolkit.name, app.toolkit.version);
        let words = format!("tree of {} ({})", app.name, toolkit.trim());
        outcome.evidence.push(Evidence::new(EvidenceKind::Elements, words));
    }
    if let ProcessStatus::Exited { last_stderr, .. } = &started.status
        && started.window.is_none()
    {
        outcome.changes = last_stderr.iter().map(|line| format!("its output: {line}")).collect();
    }
    outcome.next_step = advice(&started, has_tree);
    let from_window = started.window.as_ref().map(|window| window.pid).filter(|pid| *pid != 0);
    StartedProgram {
        pid: started.app.as_ref().map(|app| app.pid).or(from_window).unwrap_or(process.pid),
        app: started
            .app
            .map(|app| app.name)
            .or_else(|| started.window.as_ref().and_then(|window| window.app.clone())),
        window: started.window.map(|window| window.id),
        has_tree,
        added_arguments: program.added_arguments,
        outcome,
    }
}

fn effect_of(started: &StartOutcome, has_tree: bool) -> ActionEffect {
    let came =
        started.window_change != WindowChange::Nothing || (started.window.is_none() && has_tree);
    match (&started.status, came, has_tree) {
        (_, true, true) => ActionEffect::Confirmed,
        (_, true, false) | (_, false, true) => ActionEffect::Partial,
        (ProcessStatus::Running, false, false) => ActionEffect::Partial,
        (ProcessStatus::Exited { code: Some(0), .. }, false, false) => match started.window {
            Some(_) => ActionEffect::Partial,
            None => ActionEffect::Unverified,
        },
        (ProcessStatus::Exited { .. }, false, false) => ActionEffect::NoEffect,
    }
}

fn process_evidence(process: &ProcessId, started: &StartOutcome) -> Evidence {
    let what = format!("process {}", process.pid);
    let after = match &started.status {
        ProcessStatus::Running => "running".to_owned(),
        ProcessStatus::Exited { code: Some(0), .. } => match &started.window {
            Some(window) => format!("handed over to process {} and ended", window.pid),
            None => "ended with code 0".to_owned(),
        },
        ProcessStatus::Exited { code: Some(code), .. } => format!("ended with code {code}"),
        ProcessStatus::Exited { signal: Some(signal), .. } => format!("ended by signal {signal}"),
        ProcessStatus::Exited { .. } => "ended".to_owned(),
    };
    Evidence { after: Some(after), ..Evidence::new(EvidenceKind::Process, what) }
}

fn window_evidence(window: &Window, change: WindowChange) -> Evidence {
    let label = windows::label(window);
    let words = match change {
        WindowChange::Opened => format!("window {label} opened"),
        WindowChange::Changed => format!("window {label} was raised or changed"),
        WindowChange::Nothing => format!("window {label} already existed and did not change"),
    };
    Evidence::new(EvidenceKind::Window, words)
}

fn advice(started: &StartOutcome, has_tree: bool) -> Option<Advice> {
    let StartOutcome { window, app, status, no_trees, .. } = started;
    if has_tree {
        return None;
    }
    Some(match (window, app, status, no_trees) {
        (Some(_), _, _, Some(why)) => {
            Advice::from(format!("no tree: {why}; run ")).step(Step::Check)
        }
        (Some(_), None, _, None) => "it has a window but did not register with accessibility: its \
                                     toolkit may not support it, so only its pixels are visible"
            .into(),
        (Some(window), Some(_), _, None) => {
            Advice::from("it registered with accessibility but shows no window there yet: ")
                .step(Step::WaitForApp { pid: window.pid })
        }
        (None, _, ProcessStatus::Exited { code: Some(0), .. }, _) => {
            "it ended without opening a window".into()
        }
        (None, _, ProcessStatus::Exited { .. }, _) => "it failed at startup: see its output".into(),
        (None, _, ProcessStatus::Running, _) => {
            Advice::from("it runs, but no window opened in time: ")
                .step(Step::RaiseTimeout)
                .text(", or check with ")
                .step(Step::ListWindows)
        }
    })
}
