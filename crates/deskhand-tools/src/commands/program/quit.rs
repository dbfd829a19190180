//! `quit`: ends an app, politely or by force.

use std::time::Duration;

use deskhand_model::{Delivery, Window};
use deskhand_platform::{
    Deadline, Error as Below, ProcessId, ProcessStatus, Termination, WindowChange,
};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, Error, Requirement, Result, Tool, ToolSpec,
    commands::CommandOutcome,
    verbs::{
        effect::{ActionEffect, ActionOutcome, Evidence, EvidenceKind, FailedAttempt},
        programs::{self, RunningProgram},
        windows,
    },
};

/// Time a program gets to save its settings and exit.
const PATIENCE: Duration = Duration::from_secs(5);
/// A program that still runs this long after its last window closed intends to stay.
const LINGERS: Duration = Duration::from_millis(1_200);
/// A dialog that stays open this long waits for an answer.
const STANDS: Duration = Duration::from_millis(200);
const PAUSE: Duration = Duration::from_millis(20);

pub(crate) struct QuitCommand;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Args {
    /// The app: its name, pid, desktop-file id or program.
    app: String,
    /// Kill it at once; unsaved work is lost.
    #[serde(default)]
    force: bool,
}

impl Tool for QuitCommand {
    const SPEC: ToolSpec = ToolSpec {
        name: "quit",
        command: "quit",
        about: "End an app: ask it to close its windows and wait until its process exits, or \
                report the dialog it shows. With --force it is killed.",
        effect: Effect::Destroy,
        needs: &[Requirement::Tree, Requirement::Programs],
    };
    type Args = Args;
    type Output = CommandOutcome;

    fn run(cx: &Context<'_>, args: Args) -> Result<CommandOutcome> {
        let running = programs::resolve_program(cx, &args.app)?;
        let gone = || Below::Gone { what: format!("process {}", running.pid) };
        let process = programs::programs(cx)?.process(running.pid).ok_or_else(gone)?;
        if running
            .app
            .as_ref()
            .is_some_and(|app| app.started != 0 && app.started != process.started)
        {
            return Err(gone().into());
        }
        let done = if args.force {
            force(cx, &process)
        } else {
            Shutdown { cx, running: &running, process }.ask()
        };
        Ok(done?.on(format!("{} (pid {})", running.name, running.pid)).into())
    }
}

fn force(cx: &Context<'_>, process: &ProcessId) -> Result<ActionOutcome> {
    let family = programs::programs(cx)?.process_tree(process);
    programs::kill(cx, process, &family)?;
    let ended = programs::wait_until_ended(cx, &family, PATIENCE);
    let mut seen = processes(&family, ended);
    seen.subject = format!("{}, killed", seen.subject);
    let verdict = if ended { ActionEffect::Confirmed } else { ActionEffect::Partial };
    Ok(ActionOutcome {
        evidence: vec![seen],
        ..ActionOutcome::new(verdict, programs::end_method(Termination::Kill))
    })
}

fn processes(all: &[ProcessId], ended: bool) -> Evidence {
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
    fn ask(&self) -> Result<ActionOutcome> {
        let before = programs::list_windows(self.cx, self.cx.deadline)?;
        let asked = self.close_all()?;
        if asked == 0 {
            self.signal()?;
        }
        let mut done = ActionOutcome::new(
            ActionEffect::NoEffect,
            if asked == 0 {
                programs::end_method(Termination::Request)
            } else {
                "request to close its windows"
            },
        );
        let by = Deadline::after(PATIENCE);
        let (mut signalled, mut alone_since, mut asking_since) = (asked == 0, None, None);
        loop {
            if self.ended() {
                done.effect = ActionEffect::Confirmed;
                done.evidence = vec![processes(&[self.process], true)];
                return Ok(done);
            }
            let now =
                programs::list_windows(self.cx, Deadline::after(windows::WINDOW_CHANGE_TIMEOUT));
            let now = now.map_err(windows::sent_error)?;
            if let Some(question) = programs::find_new_window(&before, &now, self.running.pid) {
                let stands = asking_since.get_or_insert_with(|| Deadline::after(STANDS));
                if stands.has_passed() {
                    done.effect = ActionEffect::Partial;
                    done.evidence.push(programs::window_opened(question));
                    return Ok(done.with_next_step(programs::dialog_advice(question)));
                }
            }
            let alone = now.iter().all(|window| window.pid != self.running.pid);
            if alone && !signalled {
                let lingers = alone_since.get_or_insert_with(|| Deadline::after(LINGERS));
                if lingers.has_passed() {
                    self.signal()?;
                    signalled = true;
                    let why = "its windows closed but it is still running".to_owned();
                    done.failed_attempts.push(FailedAttempt { strategy: done.strategy, why });
                    done.strategy = programs::end_method(Termination::Request).to_owned();
                }
            }
            if by.has_passed() {
                return Ok(self.stayed(done, &now));
            }
            if self.cx.cancel.sleep(PAUSE).is_err() {
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
        match programs::programs(self.cx)?.terminate(&self.process, Termination::Request) {
            Ok(()) | Err(Below::Gone { .. }) => Ok(()),
            Err(error) => Err(Error::Platform(error)),
        }
    }

    fn ended(&self) -> bool {
        programs::programs(self.cx)
            .is_ok_and(|all| all.status(&self.process) != ProcessStatus::Running)
    }

    fn stayed(&self, mut done: ActionOutcome, now: &[Window]) -> ActionOutcome {
        let left = now.iter().filter(|window| window.pid == self.running.pid).count();
        let had = self.running.windows.len();
        if left < had {
            let words = |count: usize| format!("{count} open");
            let seen = Evidence::change(EvidenceKind::Window, "windows", words(had), words(left));
            done.effect = ActionEffect::Partial;
            done.evidence.push(seen);
        }
        done.evidence.push(processes(&[self.process], false));
        done.with_next_step(programs::unanswered_advice().text(" kills it"))
    }
}
