//! `quit`: ends an app, politely or by force.

use std::time::Duration;

use deskhand_model::{Delivery, Window};
use deskhand_platform::{Arrange, Deadline, End, Error as Below, Fate, Process};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, Error, Requirement, Result, Tool, ToolSpec,
    verbs::{
        effect::{Done, Evidence, Sign, Tried, Verdict},
        running::{self, Running},
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
    type Output = Done;

    fn run(cx: &Context<'_>, args: Args) -> Result<Done> {
        let running = running::meant(cx, &args.app)?;
        let gone = || Below::Gone { what: format!("process {}", running.pid) };
        let process = running::programs(cx)?.process(running.pid).ok_or_else(gone)?;
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
        done.map(|done| done.to(format!("{} (pid {})", running.name, running.pid)))
    }
}

fn force(cx: &Context<'_>, process: &Process) -> Result<Done> {
    let family = running::programs(cx)?.family(process);
    running::kill(cx, process, &family)?;
    let ended = running::wait_for_end(cx, &family, PATIENCE);
    let mut seen = processes(&family, ended);
    seen.what = format!("{}, killed", seen.what);
    let verdict = if ended { Verdict::Confirmed } else { Verdict::Partial };
    Ok(Done { evidence: vec![seen], ..Done::new(verdict, running::way(End::Kill)) })
}

fn processes(all: &[Process], ended: bool) -> Evidence {
    let what = match all {
        [one] => format!("process {}", one.pid),
        several => format!("{} processes", several.len()),
    };
    Evidence::change(Sign::Process, what, "running", if ended { "ended" } else { "still running" })
}

/// A polite shutdown in progress.
struct Shutdown<'a> {
    cx: &'a Context<'a>,
    running: &'a Running,
    process: Process,
}

impl Shutdown<'_> {
    fn ask(&self) -> Result<Done> {
        let before = running::windows_now(self.cx, self.cx.by)?;
        let asked = self.close_all()?;
        if asked == 0 {
            self.signal()?;
        }
        let mut done = Done::new(
            Verdict::NoEffect,
            if asked == 0 { running::way(End::Ask) } else { "request to close its windows" },
        );
        let by = Deadline::after(PATIENCE);
        let (mut signalled, mut alone_since, mut asking_since) = (asked == 0, None, None);
        loop {
            if self.ended() {
                done.effect = Verdict::Confirmed;
                done.evidence = vec![processes(&[self.process], true)];
                return Ok(done);
            }
            let now = running::windows_now(self.cx, Deadline::after(windows::SOON));
            let now = now.map_err(windows::sent)?;
            if let Some(question) = running::dialog(&before, &now, self.running.pid) {
                let stands = asking_since.get_or_insert_with(|| Deadline::after(STANDS));
                if stands.passed() {
                    done.effect = Verdict::Partial;
                    done.evidence.push(running::opened(question));
                    return Ok(done.or_else(running::answer_it(question)));
                }
            }
            let alone = now.iter().all(|window| window.pid != self.running.pid);
            if alone && !signalled {
                let lingers = alone_since.get_or_insert_with(|| Deadline::after(LINGERS));
                if lingers.passed() {
                    self.signal()?;
                    signalled = true;
                    let why = "its windows closed but it is still running".to_owned();
                    done.tried.push(Tried { way: done.way, why });
                    done.way = running::way(End::Ask).to_owned();
                }
            }
            if by.passed() {
                return Ok(self.stayed(done, &now));
            }
            if self.cx.stop.sleep(PAUSE).is_err() {
                return Err(Error::Stopped { delivery: Delivery::Sent });
            }
        }
    }

    /// Asks every window to close. Returns the number of requests sent.
    fn close_all(&self) -> Result<usize> {
        let Some(list) = self.cx.desktop.windows.as_ref() else { return Ok(0) };
        let mut asked = 0;
        for window in &self.running.windows {
            match list.arrange(window.id, Arrange::Close, self.cx.by) {
                Ok(_) => asked += 1,
                // It closed with the one before, or takes no such request.
                Err(Below::Gone { .. } | Below::Unsupported { .. }) => {}
                Err(error) if asked > 0 => return Err(windows::sent(error)),
                Err(error) => return Err(windows::in_doubt(error)),
            }
        }
        Ok(asked)
    }

    fn signal(&self) -> Result<()> {
        match running::programs(self.cx)?.end(&self.process, End::Ask) {
            Ok(()) | Err(Below::Gone { .. }) => Ok(()),
            Err(error) => Err(Error::Platform(error)),
        }
    }

    fn ended(&self) -> bool {
        running::programs(self.cx).is_ok_and(|all| all.fate(&self.process) != Fate::Runs)
    }

    fn stayed(&self, mut done: Done, now: &[Window]) -> Done {
        let left = now.iter().filter(|window| window.pid == self.running.pid).count();
        let had = self.running.windows.len();
        if left < had {
            let words = |count: usize| format!("{count} open");
            let seen = Evidence::change(Sign::Window, "windows", words(had), words(left));
            done.effect = Verdict::Partial;
            done.evidence.push(seen);
        }
        done.evidence.push(processes(&[self.process], false));
        done.or_else(
            "it may show a question inside its window, or be frozen: check with `deskhand tree`; \
             --force kills it",
        )
    }
}
