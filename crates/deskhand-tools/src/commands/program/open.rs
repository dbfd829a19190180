//! `open`: starts a program and waits until it is ready.

use deskhand_model::Window;
use deskhand_platform::{Fate, Process, Program, Sought};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::arrival::{self, InitialWindows, StartOutcome, WindowChange};
use crate::{
    Context, Effect, Error, Line, Page, Requirement, Result, Shown, Style, Tool, ToolSpec,
    verbs::{
        effect::{Done, Evidence, Sign, Verdict},
        running, windows,
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
    done: Done,
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

impl Shown for OpenResult {
    fn page(&self) -> Page {
        let page = self.done.page();
        if self.added.is_empty() {
            return page;
        }
        let words = format!("started with {}", self.added.join(" "));
        page.line(Line { indent: 1, spans: Vec::new() }.with(Style::Faint, words))
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
        let process = running::programs(cx)?.start(&program, &args.arguments, cx.by)?;
        if args.no_wait {
            let seen = Evidence::of(Sign::Process, format!("process {} started", process.pid));
            let mut done = Done::new(Verdict::Unverified, "start").to(&program.name);
            done.evidence.push(seen);
            let done = done.or_else(format!("`deskhand apps --wait {}` waits for it", process.pid));
            let (pid, added) = (process.pid, program.added);
            return Ok(OpenResult { done, app: None, pid, window: None, tree: false, added });
        }
        let arrival = arrival::follow(cx, &program, &process, &before)?;
        Ok(told(program, process, arrival))
    }
}

fn sought(cx: &Context<'_>, wanted: &str) -> Result<Program> {
    let program = match running::programs(cx)?.find(wanted)? {
        Sought::One(program) => program,
        Sought::Several(found) => {
            let called = |one: Program| one.id.unwrap_or(one.name);
            let matching = found.into_iter().map(called).collect();
            return Err(Error::SeveralPrograms { wanted: wanted.to_owned(), matching });
        }
        Sought::None { near } => {
            return Err(Error::NoProgram { wanted: wanted.to_owned(), near });
        }
    };
    if program.terminal {
        return Err(Error::NeedsTerminal { program: program.name });
    }
    Ok(program)
}

fn told(program: Program, process: Process, arrival: StartOutcome) -> OpenResult {
    let has_tree = arrival.app.as_ref().is_some_and(|app| app.windows > 0);
    let mut done = Done::new(verdict(&arrival, has_tree), "start").to(&program.name);
    done.evidence.push(ran(&process, &arrival));
    if let Some(window) = &arrival.window {
        done.evidence.push(showed(window, arrival.news));
    }
    if let Some(app) = arrival.app.as_ref().filter(|app| app.windows > 0) {
        let toolkit = format!("{} {}", app.toolkit.name, app.toolkit.version);
        let words = format!("tree of {} ({})", app.name, toolkit.trim());
        done.evidence.push(Evidence::of(Sign::Elements, words));
    }
    if let Fate::Ended { last_words, .. } = &arrival.fate
        && arrival.window.is_none()
    {
        done.changes = last_words.iter().map(|line| format!("its output: {line}")).collect();
    }
    done.escalation = advice(&arrival, has_tree);
    let from_window = arrival.window.as_ref().map(|window| window.pid).filter(|pid| *pid != 0);
    OpenResult {
        pid: arrival.app.as_ref().map(|app| app.pid).or(from_window).unwrap_or(process.pid),
        app: arrival
            .app
            .map(|app| app.name)
            .or_else(|| arrival.window.as_ref().and_then(|window| window.app.clone())),
        window: arrival.window.map(|window| window.id),
        tree: has_tree,
        added: program.added,
        done,
    }
}

fn verdict(arrival: &StartOutcome, has_tree: bool) -> Verdict {
    let came = arrival.news != WindowChange::Nothing || (arrival.window.is_none() && has_tree);
    match (&arrival.fate, came, has_tree) {
        (_, true, true) => Verdict::Confirmed,
        (_, true, false) | (_, false, true) => Verdict::Partial,
        (Fate::Runs, false, false) => Verdict::Partial,
        (Fate::Ended { code: Some(0), .. }, false, false) => match arrival.window {
            Some(_) => Verdict::Partial,
            None => Verdict::Unverified,
        },
        (Fate::Ended { .. }, false, false) => Verdict::NoEffect,
    }
}

fn ran(process: &Process, arrival: &StartOutcome) -> Evidence {
    let what = format!("process {}", process.pid);
    let after = match &arrival.fate {
        Fate::Runs => "running".to_owned(),
        Fate::Ended { code: Some(0), .. } => match &arrival.window {
            Some(window) => format!("handed over to process {} and ended", window.pid),
            None => "ended with code 0".to_owned(),
        },
        Fate::Ended { code: Some(code), .. } => format!("ended with code {code}"),
        Fate::Ended { signal: Some(signal), .. } => format!("ended by signal {signal}"),
        Fate::Ended { .. } => "ended".to_owned(),
    };
    Evidence { after: Some(after), ..Evidence::of(Sign::Process, what) }
}

fn showed(window: &Window, news: WindowChange) -> Evidence {
    let label = windows::label(window);
    let words = match news {
        WindowChange::Opened => format!("window {label} opened"),
        WindowChange::Changed => format!("window {label} was raised or changed"),
        WindowChange::Nothing => format!("window {label} already existed and did not change"),
    };
    Evidence::of(Sign::Window, words)
}

fn advice(arrival: &StartOutcome, has_tree: bool) -> Option<String> {
    let StartOutcome { window, app, fate, blind, .. } = arrival;
    if has_tree {
        return None;
    }
    Some(match (window, app, fate, blind) {
        (Some(_), _, _, Some(why)) => format!("no tree: {why}; run `deskhand check`"),
        (Some(_), None, _, None) => "it has a window but did not register with accessibility: its \
                                     toolkit may not support it, so only its pixels are visible"
            .to_owned(),
        (Some(window), Some(_), _, None) => format!(
            "it registered with accessibility but shows no window there yet: `deskhand apps --wait \
             {}`",
            window.pid
        ),
        (None, _, Fate::Ended { code: Some(0), .. }, _) => {
            "it ended without opening a window".to_owned()
        }
        (None, _, Fate::Ended { .. }, _) => "it failed at startup: see its output".to_owned(),
        (None, _, Fate::Runs, _) => {
            "it runs, but no window opened in time: raise --timeout, or check with `deskhand \
             windows`"
                .to_owned()
        }
    })
}
