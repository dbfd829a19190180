//! Ending a program, politely or by force.

use deskhand_model::{Delivery, Window};
use deskhand_platform::{
    Deadline, Error as Below, ProcessId, ProcessStatus, Termination, WindowChange,
};

use super::{RunningProgram, programs};
use crate::{
    Context, Error, Result,
    effect::{ActionEffect, ActionOutcome, Evidence, EvidenceKind, FailedAttempt},
    timing::{
        DIALOG_SETTLE, LINGER_TIMEOUT, QUIT_POLL_INTERVAL, QUIT_TIMEOUT, WINDOW_CHANGE_TIMEOUT,
    },
    windows,
};

/// The way to end a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum QuitMode {
    /// Ask it to close its windows, and to end if it has none.
    Ask,
    /// Kill it at once; unsaved work is lost.
    Kill,
}

/// Ends a program and waits until its process exits, or until it shows a dialog.
///
/// # Errors
///
/// Fails if no program or several programs have this name, or the process no longer exists.
pub fn quit(cx: &Context<'_>, wanted: &str, mode: QuitMode) -> Result<ActionOutcome> {
    let running = super::resolve_program(cx, wanted)?;
    let gone = || Below::Gone { what: format!("process {}", running.pid) };
    let process = programs(cx)?.process(running.pid).ok_or_else(gone)?;
    let is_other = |started: u64| started != 0 && started != process.started;
    if running.app.as_ref().is_some_and(|app| is_other(app.started)) {
        return Err(gone().into());
    }
    let outcome = match mode {
        QuitMode::Kill => kill(cx, &process),
        QuitMode::Ask => Shutdown { cx, running: &running, process }.run(),
    };
    outcome.map(|outcome| outcome.on(format!("{} (pid {})", running.name, running.pid)))
}

fn kill(cx: &Context<'_>, process: &ProcessId) -> Result<ActionOutcome> {
    let family = programs(cx)?.process_tree(process);
    super::kill(cx, process, &family)?;
    let ended = super::wait_until_ended(cx, &family, QUIT_TIMEOUT);
    let mut evidence = process_evidence(&family, ended);
    evidence.subject = format!("{}, killed", evidence.subject);
    let effect = if ended { ActionEffect::Confirmed } else { ActionEffect::Partial };
    Ok(ActionOutcome {
        evidence: vec![evidence],
        ..ActionOutcome::new(effect, super::end_method(Termination::Kill))
    })
}

fn process_evidence(all: &[ProcessId], ended: bool) -> Evidence {
    let what = match all {
        [one] => format!("process {}", one.pid),
        several => format!("{} processes", several.len()),
    };
    Evidence::change(
        EvidenceKind::Process,
        what,
        "running",
        if ended { "ended" } else { "still running" },
    )
}

/// A polite shutdown in progress.
struct Shutdown<'a> {
    cx: &'a Context<'a>,
    running: &'a RunningProgram,
    process: ProcessId,
}

impl Shutdown<'_> {
    /// Asks the program to end, and waits until it has ended or shows a dialog.
    fn run(&self) -> Result<ActionOutcome> {
        let before = super::list_windows(self.cx, self.cx.deadline)?;
        let asked = self.close_all()?;
        if asked == 0 {
            self.signal()?;
        }
        let mut done = ActionOutcome::new(
            ActionEffect::NoEffect,
            if asked == 0 {
                super::end_method(Termination::Request)
            } else {
                "request to close its windows"
            },
        );
        let deadline = Deadline::after(QUIT_TIMEOUT);
        let (mut signalled, mut no_windows_since, mut dialog_since) = (asked == 0, None, None);
        loop {
            if self.ended() {
                done.effect = ActionEffect::Confirmed;
                done.evidence = vec![process_evidence(&[self.process], true)];
                return Ok(done);
            }
            let now = super::list_windows(self.cx, Deadline::after(WINDOW_CHANGE_TIMEOUT));
            let now = now.map_err(windows::sent_error)?;
            if let Some(dialog) = super::find_new_window(&before, &now, self.running.pid) {
                let settled = dialog_since.get_or_insert_with(|| Deadline::after(DIALOG_SETTLE));
                if settled.has_passed() {
                    done.effect = ActionEffect::Partial;
                    done.evidence.push(super::window_opened(dialog));
                    return Ok(done.with_next_step(super::dialog_advice(dialog)));
                }
            }
            let has_no_windows = now.iter().all(|window| window.pid != self.running.pid);
            if has_no_windows && !signalled {
                let lingering =
                    no_windows_since.get_or_insert_with(|| Deadline::after(LINGER_TIMEOUT));
                if lingering.has_passed() {
                    self.signal()?;
                    signalled = true;
                    let why = "its windows closed but it is still running".to_owned();
                    done.failed_attempts.push(FailedAttempt { strategy: done.strategy, why });
                    done.strategy = super::end_method(Termination::Request).to_owned();
                }
            }
            if deadline.has_passed() {
                return Ok(self.still_running(done, &now));
            }
            if self.cx.cancel.sleep(QUIT_POLL_INTERVAL).is_err() {
                return Err(Error::Cancelled { delivery: Delivery::Sent });
            }
        }
    }

    /// Asks every window to close. Returns the number of requests sent.
    fn close_all(&self) -> Result<usize> {
        let Some(list) = self.cx.desktop.windows.as_ref() else { return Ok(0) };
        let mut asked = 0;
        for window in &self.running.windows {
            match list.arrange(window.id, WindowChange::Close, self.cx.deadline) {
                Ok(_) => asked += 1,
                // It closed with the one before, or takes no such request.
                Err(Below::Gone { .. } | Below::Unsupported { .. }) => {}
                Err(error) if asked > 0 => return Err(windows::sent_error(error)),
                Err(error) => return Err(windows::request_error(error)),
            }
        }
        Ok(asked)
    }

    fn signal(&self) -> Result<()> {
        match programs(self.cx)?.terminate(&self.process, Termination::Request) {
            Ok(()) | Err(Below::Gone { .. }) => Ok(()),
            Err(error) => Err(Error::Platform(error)),
        }
    }

    fn ended(&self) -> bool {
        programs(self.cx).is_ok_and(|all| all.status(&self.process) != ProcessStatus::Running)
    }

    fn still_running(&self, mut done: ActionOutcome, now: &[Window]) -> ActionOutcome {
        let left = now.iter().filter(|window| window.pid == self.running.pid).count();
        let had = self.running.windows.len();
        if left < had {
            let words = |count: usize| format!("{count} open");
            let seen = Evidence::change(EvidenceKind::Window, "windows", words(had), words(left));
            done.effect = ActionEffect::Partial;
            done.evidence.push(seen);
        }
        done.evidence.push(process_evidence(&[self.process], false));
        done.with_next_step(super::unanswered_advice().text(" kills it"))
    }
}
