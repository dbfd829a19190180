//! `open`: starts a program and waits until it is ready.

use deskhand_model::{Advice, Step, Window};
use deskhand_platform::{LaunchableProgram, ProcessId, ProcessStatus, ProgramMatch};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::arrival::{self, InitialWindows, StartOutcome, WindowChange};
use crate::{
    Context, Effect, Error, Render, Requirement, Result, Style, StyledLine, StyledText, Tool,
    ToolSpec,
    commands::CommandOutcome,
    verbs::{
        effect::{ActionEffect, ActionOutcome, Evidence, EvidenceKind},
        programs, windows,
    },
};

pub(crate) struct OpenCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The program: a name as shown in menus, a desktop-file id, a program on the search path, or
    /// the path of a program or .desktop file.
    name: String,
    /// Arguments of the program, such as files to open.
    #[serde(default)]
    #[schemars(extend("x-trailing" = true))]
    arguments: Vec<String>,
    /// Start the program without waiting for its window.
    #[serde(default)]
    no_wait: bool,
}

/// The result of starting a program.
#[derive(Serialize, JsonSchema)]
pub(crate) struct OpenResult {
    #[serde(flatten)]
    done: CommandOutcome,
    /// Name of the app; pass it as `app`.
    #[serde(skip_serializing_if = "Option::is_none")]
    app: Option<String>,
    /// Process id of the app, or of the started process.
    pid: u32,
    /// Window id.
    #[serde(skip_serializing_if = "Option::is_none")]
    window: Option<u64>,
    /// `true` if its tree can be read.
    tree: bool,
    /// Arguments that were added to enable accessibility or to make the program run.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    added: Vec<String>,
}

impl Render for OpenResult {
    fn render(&self) -> StyledText {
        let page = self.done.render();
        if self.added.is_empty() {
            return page;
        }
        let words = format!("started with {}", self.added.join(" "));
        page.line(StyledLine { indent: 1, spans: Vec::new() }.with(Style::Faint, words))
    }

    fn succeeded(&self) -> bool {
        self.done.succeeded()
    }
}

impl Tool for OpenCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "open",
        command: "open",
        about: "Start a program and wait until its window is open and its tree is readable. \
                Reports the reason if that does not happen.",
        effect: Effect::Execute,
        needs: &[Requirement::Tree, Requirement::Programs],
    };
    type Args = Args;
    type Output = OpenResult;

    fn run(cx: &Context<'_>, args: Args) -> Result<OpenResult> {
        let program = sought(cx, &args.name)?;
        let before = InitialWindows::look(cx)?;
        let process = programs::programs(cx)?.start(&program, &args.arguments, cx.deadline)?;
        if args.no_wait {
            let seen =
                Evidence::new(EvidenceKind::Process, format!("process {} started", process.pid));
            let mut done = ActionOutcome::new(ActionEffect::Unverified, "start").on(&program.name);
            done.evidence.push(seen);
            let next = Advice::new().step(Step::WaitForApp { pid: process.pid });
            let done = done.with_next_step(next.text(" waits for it")).into();
            let (pid, added) = (process.pid, program.added_arguments);
            return Ok(OpenResult { done, app: None, pid, window: None, tree: false, added });
        }
        let arrival = arrival::follow(cx, &program, &process, &before)?;
        Ok(told(program, process, arrival))
    }
}

fn sought(cx: &Context<'_>, wanted: &str) -> Result<LaunchableProgram> {
    let program = match programs::programs(cx)?.find(wanted)? {
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

fn told(program: LaunchableProgram, process: ProcessId, arrival: StartOutcome) -> OpenResult {
    let has_tree = arrival.app.as_ref().is_some_and(|app| app.windows > 0);
    let mut done = ActionOutcome::new(verdict(&arrival, has_tree), "start").on(&program.name);
    done.evidence.push(ran(&process, &arrival));
    if let Some(window) = &arrival.window {
        done.evidence.push(showed(window, arrival.news));
    }
    if let Some(app) = arrival.app.as_ref().filter(|app| app.windows > 0) {
        let toolkit = format!("{} {}", app.toolkit.name, app.toolkit.version);
        let words = format!("tree of {} ({})", app.name, toolkit.trim());
        done.evidence.push(Evidence::new(EvidenceKind::Elements, words));
    }
    if let ProcessStatus::Exited { last_stderr: last_words, .. } = &arrival.fate
        && arrival.window.is_none()
    {
        done.changes = last_words.iter().map(|line| format!("its output: {line}")).collect();
    }
    done.next_step = advice(&arrival, has_tree);
    let from_window = arrival.window.as_ref().map(|window| window.pid).filter(|pid| *pid != 0);
    OpenResult {
        pid: arrival.app.as_ref().map(|app| app.pid).or(from_window).unwrap_or(process.pid),
        app: arrival
            .app
            .map(|app| app.name)
            .or_else(|| arrival.window.as_ref().and_then(|window| window.app.clone())),
        window: arrival.window.map(|window| window.id),
        tree: has_tree,
        added: program.added_arguments,
        done: done.into(),
    }
}

fn verdict(arrival: &StartOutcome, has_tree: bool) -> ActionEffect {
    let came = arrival.news != WindowChange::Nothing || (arrival.window.is_none() && has_tree);
    match (&arrival.fate, came, has_tree) {
        (_, true, true) => ActionEffect::Confirmed,
        (_, true, false) | (_, false, true) => ActionEffect::Partial,
        (ProcessStatus::Running, false, false) => ActionEffect::Partial,
        (ProcessStatus::Exited { code: Some(0), .. }, false, false) => match arrival.window {
            Some(_) => ActionEffect::Partial,
            None => ActionEffect::Unverified,
        },
        (ProcessStatus::Exited { .. }, false, false) => ActionEffect::NoEffect,
    }
}

fn ran(process: &ProcessId, arrival: &StartOutcome) -> Evidence {
    let what = format!("process {}", process.pid);
    let after = match &arrival.fate {
        ProcessStatus::Running => "running".to_owned(),
        ProcessStatus::Exited { code: Some(0), .. } => match &arrival.window {
            Some(window) => format!("handed over to process {} and ended", window.pid),
            None => "ended with code 0".to_owned(),
        },
        ProcessStatus::Exited { code: Some(code), .. } => format!("ended with code {code}"),
        ProcessStatus::Exited { signal: Some(signal), .. } => format!("ended by signal {signal}"),
        ProcessStatus::Exited { .. } => "ended".to_owned(),
    };
    Evidence { after: Some(after), ..Evidence::new(EvidenceKind::Process, what) }
}

fn showed(window: &Window, news: WindowChange) -> Evidence {
    let label = windows::label(window);
    let words = match news {
        WindowChange::Opened => format!("window {label} opened"),
        WindowChange::Changed => format!("window {label} was raised or changed"),
        WindowChange::Nothing => format!("window {label} already existed and did not change"),
    };
    Evidence::new(EvidenceKind::Window, words)
}

fn advice(arrival: &StartOutcome, has_tree: bool) -> Option<Advice> {
    let StartOutcome { window, app, fate, blind, .. } = arrival;
    if has_tree {
        return None;
    }
    Some(match (window, app, fate, blind) {
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
