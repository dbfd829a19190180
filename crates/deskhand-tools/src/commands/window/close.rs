//! `window close`: asks a program to close a window, or kills the program.

use std::time::Duration;

use deskhand_model::Window;
use deskhand_platform::{Arrange, Deadline, End, Fate};
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{
    Context, Effect, Error, Requirement, Result, Tool, ToolSpec,
    verbs::{
        effect::{Done, Evidence, Sign, Verdict},
        running,
        windows::{self, Prefer, SOON, label},
    },
};

/// Time a program gets to clean up and to ask about unsaved work before a window closes.
const PATIENCE: Duration = Duration::from_secs(3);
const PAUSE: Duration = Duration::from_millis(10);

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
    type Output = Done;

    fn run(cx: &Context<'_>, args: Args) -> Result<Done> {
        let window = windows::meant(cx, &args.target, args.title.as_deref(), Prefer::Shown)?;
        if args.force { force(cx, &window) } else { ask(cx, &window) }
    }
}

fn ask(cx: &Context<'_>, window: &Window) -> Result<Done> {
    let before = windows::list(cx)?.list(cx.by)?;
    let is_there = |all: &[Window]| all.iter().any(|one| one.id == window.id);
    let changed = windows::change(cx, window, Arrange::Close, PATIENCE, |all| {
        Ok(!is_there(all) || running::dialog(&before, all, window.pid).is_some())
    })?;
    let question = running::dialog(&before, &changed.all, window.pid);
    if !is_there(&changed.all) {
        let seen = Evidence::change(Sign::Window, "window", "open", "gone");
        let mut done = changed.answer(window, seen);
        done.evidence.extend(question.map(running::opened));
        return Ok(done);
    }
    if let Some(question) = question {
        let mut done = changed.answer(window, running::opened(question));
        done.effect = Verdict::Partial;
        return Ok(done.or_else(running::answer_it(question)));
    }
    let seen = Evidence::change(Sign::Window, "window", "open", "still open");
    Ok(changed.answer(window, seen).or_else(
        "it may show a question inside its window, or be frozen: check with `deskhand tree`; \
         --force kills its program",
    ))
}

fn force(cx: &Context<'_>, window: &Window) -> Result<Done> {
    let programs = running::programs(cx)?;
    let process = programs.process(window.pid).ok_or_else(|| Error::Unfit {
        what: format!("window {}", label(window)),
        why: "its program is unknown".to_owned(),
        instead: "close it without force".to_owned(),
    })?;
    let family = programs.family(&process);
    running::kill(cx, &process, &family)?;
    let ended = running::wait_for_end(cx, &family, PATIENCE);
    let gone = vanished(cx, window)?;
    let verdict = match (ended, gone) {
        (true, true) => Verdict::Confirmed,
        (true, false) | (false, true) => Verdict::Partial,
        (false, false) => Verdict::NoEffect,
    };
    let word = |gone: bool| if gone { "gone" } else { "still open" };
    let runs = if programs.fate(&process) == Fate::Runs { "still runs" } else { "ended" };
    let mut done = Done::new(verdict, running::way(End::Kill)).to(label(window));
    done.evidence = vec![
        Evidence::change(Sign::Window, "window", "open", word(gone)),
        Evidence::change(Sign::Process, format!("process {}", process.pid), "running", runs),
    ];
    Ok(done)
}

/// Waits until a window is gone. The window manager notices the end of a program a moment later.
fn vanished(cx: &Context<'_>, window: &Window) -> Result<bool> {
    let by = Deadline::after(SOON);
    loop {
        let all = windows::list(cx)?.list(Deadline::after(SOON)).map_err(windows::sent)?;
        let gone = all.iter().all(|one| one.id != window.id);
        if gone || by.passed() {
            return Ok(gone);
        }
        std::thread::sleep(PAUSE);
    }
}
