//! Closing a window, by a request to its program or by force.

use deskhand_model::Window;
use deskhand_platform::{Deadline, ProcessStatus, Termination, WindowChange};

use super::{change_window, label, sent_error, window_system};
use crate::{
    Context, Error, Result,
    effect::{ActionEffect, ActionOutcome, Evidence, EvidenceKind},
    programs,
    timing::{PROCESS_POLL_INTERVAL, WINDOW_CHANGE_TIMEOUT, WINDOW_CLOSE_TIMEOUT},
};

/// Asks the program to close a window. A dialog that it shows first, for example about unsaved work, is reported.
///
/// # Errors
///
/// Fails if the request cannot be sent.
pub fn close(cx: &Context<'_>, window: &Window) -> Result<ActionOutcome> {
    let before = window_system(cx)?.list(cx.deadline)?;
    let is_open = |all: &[Window]| all.iter().any(|one| one.id == window.id);
    let changed = change_window(cx, window, WindowChange::Close, WINDOW_CLOSE_TIMEOUT, |all| {
        Ok(!is_open(all) || programs::find_new_window(&before, all, window.pid).is_some())
    })?;
    let question = programs::find_new_window(&before, &changed.windows, window.pid);
    if !is_open(&changed.windows) {
        let evidence = Evidence::change(EvidenceKind::Window, "window", "open", "gone");
        let mut outcome = changed.outcome(window, evidence);
        outcome.evidence.extend(question.map(programs::window_opened));
        return Ok(outcome);
    }
    if let Some(question) = question {
        let mut outcome = changed.outcome(window, programs::window_opened(question));
        outcome.effect = ActionEffect::Partial;
        return Ok(outcome.with_next_step(programs::dialog_advice(question)));
    }
    let evidence = Evidence::change(EvidenceKind::Window, "window", "open", "still open");
    let next = programs::unanswered_advice().text(" kills its program");
    Ok(changed.outcome(window, evidence).with_next_step(next))
}

/// Kills the program of a window. Unsaved work is lost.
///
/// # Errors
///
/// Fails if the program of the window is unknown or cannot be killed.
pub fn kill_program(cx: &Context<'_>, window: &Window) -> Result<ActionOutcome> {
    let programs = programs::programs(cx)?;
    let process = programs.process(window.pid).ok_or_else(|| Error::NotApplicable {
        what: format!("window {}", label(window)),
        why: "its program is unknown".to_owned(),
        instead: "close it without force".into(),
    })?;
    let family = programs.process_tree(&process);
    programs::kill(cx, &process, &family)?;
    let ended = programs::wait_until_ended(cx, &family, WINDOW_CLOSE_TIMEOUT);
    let gone = wait_until_gone(cx, window)?;
    let effect = match (ended, gone) {
        (true, true) => ActionEffect::Confirmed,
        (true, false) | (false, true) => ActionEffect::Partial,
        (false, false) => ActionEffect::NoEffect,
    };
    let word = |gone: bool| if gone { "gone" } else { "still open" };
    let runs =
        if programs.status(&process) == ProcessStatus::Running { "still runs" } else { "ended" };
    let mut outcome =
        ActionOutcome::new(effect, programs::end_method(Termination::Kill)).on(label(window));
    outcome.evidence = vec![
        Evidence::change(EvidenceKind::Window, "window", "open", word(gone)),
        Evidence::change(
            EvidenceKind::Process,
            format!("process {}", process.pid),
            "running",
            runs,
        ),
    ];
    Ok(outcome)
}

/// Waits until a window is gone. The window manager notices the end of a program a moment later.
fn wait_until_gone(cx: &Context<'_>, window: &Window) -> Result<bool> {
    let deadline = Deadline::after(WINDOW_CHANGE_TIMEOUT);
    loop {
        let all =
            window_system(cx)?.list(Deadline::after(WINDOW_CHANGE_TIMEOUT)).map_err(sent_error)?;
        let gone = all.iter().all(|one| one.id != window.id);
        if gone || deadline.has_passed() {
            return Ok(gone);
        }
        std::thread::sleep(PROCESS_POLL_INTERVAL);
    }
}
