//! The errors of all verbs.

use std::fmt;

use deskhand_model::{Advice, App, Delivery, Explain, Step};

use crate::{Question, programs};

mod condition;

pub use self::condition::Condition;

/// The result of a verb.
pub type Result<T> = std::result::Result<T, Error>;

/// An error of a verb.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The arguments are invalid.
    #[error("invalid arguments for `{tool}`: {why}")]
    BadArguments {
        /// The tool.
        tool: &'static str,
        /// The invalid argument and the expected value.
        why: String,
    },
    /// No app has this name.
    #[error("no app is called `{wanted}`")]
    NoApp {
        /// The requested name.
        wanted: String,
        /// The running apps.
        running: Vec<String>,
    },
    /// The app has a window but no accessibility tree.
    #[error("`{wanted}` has a window but no accessibility tree, so its elements are not known")]
    NoTree {
        /// The requested name.
        wanted: String,
        /// Its process id.
        pid: u32,
        /// The title of its window.
        window: String,
    },
    /// Several apps have this name.
    #[error("{} apps are called `{wanted}`", matching.len())]
    AmbiguousApp {
        /// The requested name.
        wanted: String,
        /// The matching apps.
        matching: Vec<Instance>,
    },
    /// No app was named, and no window has the focus.
    #[error("no app was named, and no window has the focus")]
    AppRequired {
        /// The running apps.
        running: Vec<String>,
    },
    /// No window matches.
    #[error("no window matches `{wanted}`")]
    NoWindow {
        /// The requested window.
        wanted: String,
        /// The open windows.
        windows: Vec<String>,
    },
    /// Several windows match.
    #[error("{} windows match `{wanted}`", matching.len())]
    AmbiguousWindow {
        /// The requested window.
        wanted: String,
        /// The matching windows.
        matching: Vec<String>,
    },
    /// No program has this name.
    #[error("no program is called `{wanted}`")]
    NoProgram {
        /// The requested name.
        wanted: String,
        /// Similar names.
        near: Vec<String>,
    },
    /// Several programs have this name.
    #[error("{} programs are called `{wanted}`", matching.len())]
    AmbiguousProgram {
        /// The requested name.
        wanted: String,
        /// The matching programs.
        matching: Vec<String>,
    },
    /// The program runs in a terminal and has no window.
    #[error("{program} runs in a terminal and has no window")]
    NeedsTerminal {
        /// The name of the program.
        program: String,
    },
    /// This desktop lacks a capability that the tool needs.
    #[error("this desktop has no {part}")]
    MissingCapability {
        /// The missing capability.
        part: &'static str,
    },
    /// The element was not ready before the deadline. Nothing was sent.
    #[error("`{query}` is not ready: {}; last state: {last_state}", condition.unmet())]
    NotReady {
        /// The query.
        query: String,
        /// The condition that was not met.
        condition: Condition,
        /// The last state of the element.
        last_state: String,
    },
    /// The request does not apply to the element. Nothing was sent.
    #[error("{what}: {why}")]
    NotApplicable {
        /// The element.
        what: String,
        /// The reason.
        why: String,
        /// An alternative for the caller.
        instead: Advice,
    },
    /// The app or the desktop failed after something was, or may have been, sent.
    #[error("{error}")]
    SendFailed {
        /// The failure.
        error: deskhand_platform::Error,
        /// States if the action was sent.
        delivery: Delivery,
    },
    /// The point is outside every display. Nothing was sent.
    #[error("{x},{y} lies outside every display")]
    OutOfBounds {
        /// The horizontal coordinate.
        x: f64,
        /// The vertical coordinate.
        y: f64,
        /// The displays with their bounds.
        displays: Vec<String>,
    },
    /// No key has this name. Nothing was sent.
    #[error("no key is called `{wanted}`")]
    NoKey {
        /// The requested name.
        wanted: String,
        /// Similar names.
        near: Vec<String>,
    },
    /// This desktop cannot perform the gesture. Nothing was sent.
    #[error("{gesture} is not supported: this desktop has no touchpad")]
    NoGesture {
        /// The gesture.
        gesture: String,
    },
    /// The clipboard is empty.
    #[error("the clipboard is empty")]
    ClipboardEmpty,
    /// The clipboard content is not available in this format.
    #[error("the clipboard content is not available as {wanted}")]
    NoFormat {
        /// The requested format.
        wanted: String,
        /// The available formats.
        forms: Vec<String>,
    },
    /// The clipboard content is marked as secret.
    #[error("the clipboard content is marked as secret: it is not shown and not stored")]
    ClipboardSecret,
    /// A file cannot be read or written.
    #[error("{path}: {why}")]
    File {
        /// The path.
        path: String,
        /// The reason.
        why: String,
    },
    /// No display has this number or name.
    #[error("there is no display `{wanted}`")]
    NoDisplay {
        /// The requested display.
        wanted: String,
        /// The displays.
        displays: Vec<String>,
    },
    /// No screenshot has this id, or it is too old.
    #[error("no screenshot has the id `{wanted}`")]
    NoScreenshot {
        /// The requested id.
        wanted: String,
        /// The id of the newest screenshot.
        last: Option<String>,
    },
    /// The caller cancelled the call.
    #[error("the call was cancelled")]
    Cancelled {
        /// States if an action was already sent.
        delivery: Delivery,
    },
    /// The user or the model must answer a question first. Nothing was sent.
    #[error("a question must be answered first: {}", question.message)]
    QuestionPending {
        /// The question.
        question: Box<Question>,
    },
    /// Typing stopped at a character that needs the user's consent. The text before it was typed.
    #[error("typing stopped before it would press {what}: {why}")]
    TypingStopped {
        /// The element or key that would have been pressed.
        what: String,
        /// The reason.
        why: String,
    },
    /// A rate limit was reached. Nothing was sent.
    #[error("{why}")]
    RateLimited {
        /// The limit.
        why: String,
        /// The time after which the caller can retry.
        retry_after_ms: u64,
    },
    /// The result cannot be written as JSON.
    #[error("the result cannot be written as JSON: {why}")]
    NotSerializable {
        /// The reason.
        why: String,
    },
    /// The element was not found, or the match was ambiguous.
    #[error(transparent)]
    Locate(#[from] deskhand_locate::Error),
    /// The image could not be created.
    #[error(transparent)]
    Vision(#[from] deskhand_vision::Error),
    /// A command could not be run.
    #[error(transparent)]
    Run(#[from] deskhand_run::Error),
    /// The arguments do not match a tool that a file defines.
    #[error(transparent)]
    ToolDefinition(#[from] deskhand_run::mtdf::Error),
    /// A script was not run.
    #[error(transparent)]
    Script(#[from] crate::script::ScriptError),
    /// An error of a dynamic tool.
    #[error("{0}")]
    Dynamic(Box<dyn Explain + Send + Sync>),
    /// No sandbox scope is configured for commands.
    #[error("no sandbox scope is configured{}", refused.as_deref().unwrap_or_default())]
    NoScope {
        /// The reason why the client's folder was refused, starting with a colon.
        refused: Option<String>,
    },
    /// Commands are disabled.
    #[error("commands are disabled")]
    NoCommands,
    /// The platform failed.
    #[error(transparent)]
    Platform(#[from] deskhand_platform::Error),
}

/// One of several running programs with the same name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// The name.
    pub name: String,
    /// The process id.
    pub pid: u32,
}

impl Instance {
    /// Returns the instance of an app.
    pub fn of(app: &App) -> Self {
        Self { name: app.name.clone(), pid: app.pid }
    }
}

impl fmt::Display for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (pid {})", self.name, self.pid)
    }
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none is running".to_owned() } else { names.join(", ") }
}

impl Error {
    /// Returns `true` if the whole call must end: it was cancelled or waits for an answer of the user.
    pub(crate) fn stops_call(&self) -> bool {
        matches!(self, Self::Cancelled { .. } | Self::QuestionPending { .. })
    }

    /// Adds a fact to the last state that the message of [`Error::NotReady`] describes. Other errors stay
    /// as they are.
    #[must_use]
    pub(crate) fn with_state(self, fact: &str) -> Self {
        if let Self::NotReady { query, condition, last_state } = self {
            let last_state = format!("{last_state}; {fact}");
            return Self::NotReady { query, condition, last_state };
        }
        self
    }
}

impl Explain for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::BadArguments { .. } => "invalid_parameter",
            Self::NoApp { .. } => "app_not_running",
            Self::NoTree { .. } => "no_tree",
            Self::AmbiguousApp { .. } => "ambiguous_app",
            Self::AppRequired { .. } => "app_required",
            Self::NoWindow { .. } => "window_not_found",
            Self::AmbiguousWindow { .. } => "ambiguous_window",
            Self::NoProgram { .. } => "program_not_found",
            Self::AmbiguousProgram { .. } => "ambiguous_program",
            Self::NeedsTerminal { .. } => "needs_terminal",
            Self::MissingCapability { .. } => "unimplemented",
            Self::NotReady { .. } => "not_ready",
            Self::NotApplicable { .. } => "unfit",
            Self::SendFailed { error, .. } => error.code(),
            Self::OutOfBounds { .. } => "out_of_bounds",
            Self::NoKey { .. } => "unknown_key",
            Self::NoGesture { .. } => "unimplemented",
            Self::ClipboardEmpty => "empty",
            Self::NoFormat { .. } => "no_form",
            Self::ClipboardSecret => "concealed",
            Self::File { .. } => "file",
            Self::NoDisplay { .. } => "display_not_found",
            Self::NoScreenshot { .. } => "screenshot_not_found",
            Self::Cancelled { .. } => "cancelled",
            Self::QuestionPending { .. } => "input_required",
            Self::TypingStopped { .. } => "consent_required",
            Self::RateLimited { .. } => "rate_limited",
            Self::NotSerializable { .. } => "internal",
            Self::Locate(e) => e.code(),
            Self::Vision(e) => e.code(),
            Self::Run(e) => e.code(),
            Self::Dynamic(e) => e.code(),
            Self::ToolDefinition(e) => e.code(),
            Self::Script(e) => e.code(),
            Self::NoScope { .. } => "scope_required",
            Self::NoCommands => "unimplemented",
            Self::Platform(e) => e.code(),
        }
    }

    fn advice(&self) -> Option<Advice> {
        match self {
            Self::BadArguments { tool, .. } => {
                Some(Advice::from("see ").step(Step::ToolHelp { tool: (*tool).to_owned() }))
            }
            Self::NoApp { running, .. } => Some(format!("running: {}", list(running)).into()),
            Self::NoTree { window, .. } => Some(programs::without_tree_advice(window)),
            Self::AmbiguousApp { matching, .. } => {
                let all: Vec<String> = matching.iter().map(ToString::to_string).collect();
                Some(format!("name one by its pid: {}", list(&all)).into())
            }
            Self::AppRequired { running } => {
                let advice = Advice::from("pass ").step(Step::Argument("app"));
                Some(advice.text(format!(" with one of: {}", list(running))))
            }
            Self::NoWindow { windows, .. } if windows.is_empty() => {
                Some(Advice::from("no window is open: ").step(Step::StartProgram))
            }
            Self::NoWindow { windows, .. } => {
                Some(format!("open windows: {}", windows.join(", ")).into())
            }
            Self::AmbiguousWindow { matching, .. } => {
                let advice = Advice::new().step(Step::NameWindow);
                Some(advice.text(format!(": {}", matching.join(", "))))
            }
            Self::NoProgram { near, .. } if near.is_empty() => {
                Some("give the name shown in menus, a desktop-file id, or a path".into())
            }
            Self::NoProgram { near, .. } => {
                Some(format!("similar names: {}", near.join(", ")).into())
            }
            Self::AmbiguousProgram { matching, .. } => {
                Some(format!("name one by its desktop-file id: {}", matching.join(", ")).into())
            }
            Self::NeedsTerminal { .. } => Some(
                "run it in a terminal: open a terminal with the program as its argument, such as \
                 `xterm -e PROGRAM`"
                    .into(),
            ),
            Self::MissingCapability { .. } => Some("run it on a desktop with an X server".into()),
            Self::NotReady { condition, .. } => Some(condition.advice()),
            Self::NotApplicable { instead, .. } => Some(instead.clone()),
            Self::SendFailed { error, .. } => error.advice(),
            Self::OutOfBounds { displays, .. } => {
                Some(format!("displays, by corner and size: {}", displays.join("; ")).into())
            }
            Self::NoKey { near, .. } if near.is_empty() => {
                Some("write it as `ctrl+s`, `F5`, `Return`, `page_down`, or one character".into())
            }
            Self::NoKey { near, .. } => Some(format!("similar names: {}", near.join(", ")).into()),
            Self::NoGesture { .. } => Some("zoom, pinch and two-finger swipe are supported".into()),
            Self::ClipboardEmpty => Some("copy something first".into()),
            Self::NoFormat { forms, .. } => {
                Some(format!("available formats: {}", forms.join(", ")).into())
            }
            Self::ClipboardSecret => Some("paste it into the app it is for".into()),
            Self::File { .. } => Some("give the path of a file that you can access".into()),
            Self::NoDisplay { displays, .. } => {
                Some(format!("displays: {}", list(displays)).into())
            }
            Self::NoScreenshot { last: Some(last), .. } => Some(
                format!("the newest is {last}; only the last 100 are kept, so take a new one")
                    .into(),
            ),
            Self::NoScreenshot { last: None, .. } => {
                Some(Advice::from("take one first: ").step(Step::Screenshot))
            }
            Self::Cancelled { delivery: Delivery::NotSent } => None,
            Self::Cancelled { .. } => Some("check the state before you try again".into()),
            Self::QuestionPending { .. } => Some("answer it and call again".into()),
            Self::TypingStopped { .. } => Some(
                "check the typed text; to press the element, click it: the user is asked then"
                    .into(),
            ),
            Self::RateLimited { retry_after_ms, .. } => {
                Some(format!("call again in {retry_after_ms} ms").into())
            }
            Self::NotSerializable { .. } => Some("please report it with the app's name".into()),
            Self::Locate(e) => e.advice(),
            Self::Vision(e) => e.advice(),
            Self::Run(e) => e.advice(),
            Self::Dynamic(e) => e.advice(),
            Self::ToolDefinition(e) => e.advice(),
            Self::Script(e) => e.advice(),
            Self::NoScope { .. } => Some(
                Advice::new()
                    .step(Step::SetSandboxScope)
                    .text(", or let the client send its folder as its first root"),
            ),
            Self::NoCommands => Some(Advice::new().step(Step::EnableCommands)),
            Self::Platform(e) => e.advice(),
        }
    }

    fn delivery(&self) -> Delivery {
        if let Self::SendFailed { delivery, .. } | Self::Cancelled { delivery } = self {
            *delivery
        } else if let Self::Dynamic(error) = self {
            error.delivery()
        } else if let Self::TypingStopped { .. } = self {
            Delivery::Sent
        } else {
            Delivery::NotSent
        }
    }

    fn retry_after_ms(&self) -> Option<u64> {
        if let Self::RateLimited { retry_after_ms, .. } = self {
            Some(*retry_after_ms)
        } else {
            None
        }
    }
}
