//! `window close`: asks a program to close a window, or kills the program.

use std::time::Duration;

use deskhand_model::Window;
use deskhand_platform::{Deadline, ProcessStatus, Termination, WindowChange};
use schemars::JsonSchema;
use serde::Deserialize;

use super::shown_window;
use crate::{
    Context, Effect, Error, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::{
        effect::{ActionEffect, ActionOutcome, Evidence, EvidenceKind},
        programs,
        windows::{self, WINDOW_CHANGE_TIMEOUT, label},
    },
};

/// Time a program gets to clean up and to ask about unsaved work before a window closes.
const CLOSE_TIMEOUT: Duration = Duration::from_secs(3);
const POLL_INTERVAL: Duration = Duration::from_millis(10);

pub(crate) struct WindowCloseCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The window: its id from `windows`, or an app by name or pid (its frontmost window).
    target: String,
    /// Only windows whose title contains this text.
    title: Option<String>,
    /// Kill the whole program at once; unsaved work is lost.
    #[serde(default)]
    force: bool,
}

impl Tool for WindowCloseCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "window_close",
        command: "window close",
        about: "Ask a program to close a window, and report whether it closed or shows a dialog \
                first. With --force its program is killed.",
        effect: Effect::Destroy,
        needs: &[Requirement::Windows],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        let window = shown_window(cx, &args.target, args.title.as_deref())?;
        let done = if args.force { force(cx, &window) } else { ask(cx, &window) };
        done.map(Into::into)
    }
}

fn ask(cx: &Context<'_>, window: &Window) -> Result<ActionOutcome> {
    let before = windows::window_system(cx)?.list(cx.deadline)?;
    let is_there = |all: &[Window]| all.iter().any(|one| one.id == window.id);
    let changed = windows::change_window(cx, window, WindowChange::Close, CLOSE_TIMEOUT, |all| {
        Ok(!is_there(all) || programs::find_new_window(&before, all, window.pid).is_some())
    })?;
    let question = programs::find_new_window(&before, &changed.windows, window.pid);
    if !is_there(&changed.windows) {
        let seen = Evidence::change(EvidenceKind::Window, "window", "open", "gone");
        let mut done = changed.outcome(window, seen);
        done.evidence.extend(question.map(programs::window_opened));
        return Ok(done);
    }
    if let Some(question) = question {
        let mut done = changed.outcome(window, programs::window_opened(question));
        done.effect = ActionEffect::Partial;
        return Ok(done.with_next_step(programs::dialog_advice(question)));
    }
    let seen = Evidence::change(EvidenceKind::Window, "window", "open", "still open");
    let next = programs::unanswered_advice().text(" kills its program");
    Ok(changed.outcome(window, seen).with_next_step(next))
}

fn force(cx: &Context<'_>, window: &Window) -> Result<ActionOutcome> {
    let programs = programs::programs(cx)?;
    let process = programs.process(window.pid).ok_or_else(|| Error::NotApplicable {
        what: format!("window {}", label(window)),
        why: "its program is unknown".to_owned(),
        instead: "close it without force".into(),
    })?;
    let family = programs.process_tree(&process);
    programs::kill(cx, &process, &family)?;
    let ended = programs::wait_until_ended(cx, &family, CLOSE_TIMEOUT);
    let gone = vanished(cx, window)?;
    let verdict = match (ended, gone) {
        (true, true) => ActionEffect::Confirmed,
        (true, false) | (false, true) => ActionEffect::Partial,
        (false, false) => ActionEffect::NoEffect,
    };
    let word = |gone: bool| if gone { "gone" } else { "still open" };
    let runs =
        if programs.status(&process) == ProcessStatus::Running { "still runs" } else { "ended" };
    let mut done =
        ActionOutcome::new(verdict, programs::end_method(Termination::Kill)).on(label(window));
    done.evidence = vec![
        Evidence::change(EvidenceKind::Window, "window", "open", word(gone)),
        Evidence::change(
            EvidenceKind::Process,
            format!("process {}", process.pid),
            "running",
            runs,
        ),
    ];
    Ok(done)
}

/// Waits until a window is gone. The window manager notices the end of a program a moment later.
fn vanished(cx: &Context<'_>, window: &Window) -> Result<bool> {
    let by = Deadline::after(WINDOW_CHANGE_TIMEOUT);
    loop {
        let all = windows::window_system(cx)?
            .list(Deadline::after(WINDOW_CHANGE_TIMEOUT))
            .map_err(windows::sent_error)?;
        let gone = all.iter().all(|one| one.id != window.id);
        if gone || by.has_passed() {
            return Ok(gone);
        }
        std::thread::sleep(POLL_INTERVAL);
    }
}
