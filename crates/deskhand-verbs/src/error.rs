//! What can go wrong in a tool.

use std::fmt;

use deskhand_model::{App, Delivery, Explain};

use crate::Question;

/// The result of a tool.
pub type Result<T> = std::result::Result<T, Error>;

/// Why a tool has no answer.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The arguments do not fit the tool.
    #[error("the arguments of `{tool}` do not fit: {why}")]
    BadArguments {
        /// Which tool.
        tool: &'static str,
        /// Which argument, and what was expected.
        why: String,
    },
    /// No app goes by that name.
    #[error("no app is called `{wanted}`")]
    NoApp {
        /// What was asked for.
        wanted: String,
        /// The apps there are.
        running: Vec<String>,
    },
    /// The app runs and has a window, but shows no tree.
    #[error("`{wanted}` has a window but shows no accessibility tree")]
    NoTree {
        /// What was asked for.
        wanted: String,
        /// The title of its window.
        window: String,
    },
    /// Several apps go by that name.
    #[error("{} apps are called `{wanted}`", matching.len())]
    AmbiguousApp {
        /// What was asked for.
        wanted: String,
        /// Those that match.
        matching: Vec<Instance>,
    },
    /// No app was named and none stands out.
    #[error("which app? none was named and no window has the focus")]
    AppRequired {
        /// The apps there are.
        running: Vec<String>,
    },
    /// No window fits.
    #[error("no window fits `{wanted}`")]
    NoWindow {
        /// What was asked for.
        wanted: String,
        /// The windows there are.
        windows: Vec<String>,
    },
    /// Several windows fit.
    #[error("{} windows fit `{wanted}`", matching.len())]
    AmbiguousWindow {
        /// What was asked for.
        wanted: String,
        /// Those that fit.
        matching: Vec<String>,
    },
    /// No program goes by that name.
    #[error("no program is called `{wanted}`")]
    NoProgram {
        /// What was asked for.
        wanted: String,
        /// What comes close.
        near: Vec<String>,
    },
    /// Several programs go by that name.
    #[error("{} programs are called `{wanted}`", matching.len())]
    AmbiguousProgram {
        /// What was asked for.
        wanted: String,
        /// Those that match.
        matching: Vec<String>,
    },
    /// The program has no window of its own.
    #[error("{program} runs in a terminal and has no window of its own")]
    NeedsTerminal {
        /// Its name.
        program: String,
    },
    /// This desktop lacks a part the tool needs.
    #[error("this desktop has no {part}")]
    MissingCapability {
        /// What is missing.
        part: &'static str,
    },
    /// The element was not ready for the action in time. Nothing was sent.
    #[error("`{query}` is not ready: {}; last seen: {last_state}", condition.unmet())]
    NotReady {
        /// What was asked for.
        query: String,
        /// What it was not.
        condition: Condition,
        /// How it was seen last.
        last_state: String,
    },
    /// What was asked for does not fit the element. Nothing was sent.
    #[error("{what}: {why}")]
    NotApplicable {
        /// To what it was to be done.
        what: String,
        /// Why it cannot.
        why: String,
        /// What would fit.
        instead: String,
    },
    /// The app or the desktop was lost after something had been sent.
    #[error("{error}")]
    SendFailed {
        /// How it was lost.
        error: deskhand_platform::Error,
        /// Whether the action had left.
        delivery: Delivery,
    },
    /// The point lies on no display. Nothing was sent.
    #[error("{x},{y} lies outside every display")]
    OutOfBounds {
        /// How far right.
        x: f64,
        /// How far down.
        y: f64,
        /// The displays there are, and where.
        displays: Vec<String>,
    },
    /// No key goes by that name. Nothing was sent.
    #[error("no key is called `{wanted}`")]
    NoKey {
        /// What was asked for.
        wanted: String,
        /// Names that come near.
        near: Vec<String>,
    },
    /// A wheel and keys cannot do this gesture. Nothing was sent.
    #[error("{gesture} cannot be done here: this desktop has no touch pad to play")]
    NoGesture {
        /// Which gesture.
        gesture: String,
    },
    /// Nothing lies on the clipboard.
    #[error("nothing is on the clipboard")]
    ClipboardEmpty,
    /// What lies on the clipboard does not come in that form.
    #[error("what is on the clipboard does not come as {wanted}")]
    NoFormat {
        /// What was asked for.
        wanted: String,
        /// The forms it comes in.
        forms: Vec<String>,
    },
    /// What lies on the clipboard was marked as a secret.
    #[error("what is on the clipboard was marked as a secret: it is not shown and not kept")]
    ClipboardSecret,
    /// A file cannot be read or written.
    #[error("{path}: {why}")]
    File {
        /// Which file.
        path: String,
        /// What stands in the way.
        why: String,
    },
    /// No display goes by that number or name.
    #[error("there is no display `{wanted}`")]
    NoDisplay {
        /// What was asked for.
        wanted: String,
        /// The displays there are.
        displays: Vec<String>,
    },
    /// No screenshot goes by that id, or it was too long ago.
    #[error("no screenshot is known as `{wanted}`")]
    NoScreenshot {
        /// What was asked for.
        wanted: String,
        /// The newest one.
        last: Option<String>,
    },
    /// The caller no longer waits.
    #[error("the call was cancelled")]
    Cancelled {
        /// Whether an action had left by then.
        delivery: Delivery,
    },
    /// The person behind the call must answer first. Nothing was sent.
    #[error("a question must be answered first: {}", question.message)]
    QuestionPending {
        /// What is asked.
        question: Box<Question>,
    },
    /// Typing came upon something a person must agree to. What stands before it was typed.
    #[error("typing stopped before it would press {what}: {why}")]
    TypingStopped {
        /// What would have been pressed.
        what: String,
        /// Why it was not.
        why: String,
    },
    /// A limit was reached. Nothing was sent.
    #[error("{why}")]
    RateLimited {
        /// Which limit.
        why: String,
        /// When to try again.
        retry_after_ms: u64,
    },
    /// The answer cannot be written as JSON.
    #[error("the answer cannot be written: {why}")]
    NotSerializable {
        /// What stands in the way.
        why: String,
    },
    /// The element was not found, or not for certain.
    #[error(transparent)]
    Locate(#[from] deskhand_locate::Error),
    /// The picture could not be made.
    #[error(transparent)]
    Vision(#[from] deskhand_vision::Error),
    /// The desktop did not do what it was asked.
    #[error(transparent)]
    Run(#[from] deskhand_run::Error),
    /// The arguments do not fit a tool that a file declares.
    #[error(transparent)]
    ToolDefinition(#[from] deskhand_run::mtdf::Error),
    /// A script is not run.
    #[error(transparent)]
    Script(#[from] crate::script::ScriptError),
    /// A tool that is not declared here says why it has no answer.
    #[error("{0}")]
    Dynamic(Box<dyn Explain + Send + Sync>),
    /// There is no folder commands could be held to.
    #[error("no folder is set that commands could be held to{}", refused.as_deref().unwrap_or_default())]
    NoScope {
        /// Why the one the client named is none.
        refused: Option<String>,
    },
    /// No commands are run here.
    #[error("no commands are run here")]
    NoCommands,
    /// The desktop cannot be reached or used.
    #[error(transparent)]
    Platform(#[from] deskhand_platform::Error),
}

/// One of several running programs of a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Instance {
    /// Its name.
    pub name: String,
    /// Its process.
    pub pid: u32,
}

impl Instance {
    /// An app as messages call it.
    pub fn of(app: &App) -> Self {
        Self { name: app.name.clone(), pid: app.pid }
    }
}

impl fmt::Display for Instance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} (pid {})", self.name, self.pid)
    }
}

/// What an element must be before it is acted on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// A person could see it.
    Visible,
    /// It can be used.
    Enabled,
    /// It takes text.
    Editable,
    /// It keeps still.
    Stable,
    /// Nothing lies over it.
    Uncovered,
    /// No dialog keeps a person from it.
    Unblocked,
    /// It has the keyboard.
    Focused,
}

impl Condition {
    fn unmet(self) -> &'static str {
        match self {
            Self::Visible => "it is not visible",
            Self::Enabled => "it is disabled",
            Self::Editable => "it takes no text",
            Self::Stable => "it does not keep still",
            Self::Uncovered => "it is covered",
            Self::Unblocked => "a dialog blocks it",
            Self::Focused => "it has no focus",
        }
    }

    fn advice(self) -> &'static str {
        match self {
            Self::Visible => {
                "bring it into view first (another tab, a closed section, scrolling), or wait \
                 longer with --timeout"
            }
            Self::Enabled => "do first what enables it, or wait longer with --timeout",
            Self::Editable => "it is read-only or no text field: choose another element",
            Self::Stable => "wait until the animation ends, or longer with --timeout",
            Self::Uncovered => "move or minimize the window above, or use --mode background",
            Self::Unblocked => "answer the dialog first",
            Self::Focused => "name the element to type into",
        }
    }
}

fn list(names: &[String]) -> String {
    if names.is_empty() { "none is running".to_owned() } else { names.join(", ") }
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

    fn hint(&self) -> Option<String> {
        match self {
            Self::BadArguments { tool, .. } if tool.starts_with("ax_") => {
                Some("see the input schema of the tool".to_owned())
            }
            Self::BadArguments { tool, .. } => Some(format!("see `deskhand {tool} --help`")),
            Self::NoApp { running, .. } => Some(format!("running: {}", list(running))),
            Self::NoTree { window, .. } => Some(format!(
                "only the pixels of {window:?} can be seen: it may not support accessibility, or \
                 was started before it was switched on"
            )),
            Self::AmbiguousApp { matching, .. } => {
                let all: Vec<String> = matching.iter().map(ToString::to_string).collect();
                Some(format!("name one by its pid: {}", list(&all)))
            }
            Self::AppRequired { running } => {
                Some(format!("pass --app with one of: {}", list(running)))
            }
            Self::NoWindow { windows, .. } if windows.is_empty() => {
                Some("no window is open; `deskhand open NAME` starts a program".to_owned())
            }
            Self::NoWindow { windows, .. } => Some(format!("there are: {}", windows.join(", "))),
            Self::AmbiguousWindow { matching, .. } => {
                Some(format!("name one by its id, or narrow with --title: {}", matching.join(", ")))
            }
            Self::NoProgram { near, .. } if near.is_empty() => {
                Some("give a name as menus show it, a desktop-file id, or a path".to_owned())
            }
            Self::NoProgram { near, .. } => Some(format!("near: {}", near.join(", "))),
            Self::AmbiguousProgram { matching, .. } => {
                Some(format!("name one by its desktop-file id: {}", matching.join(", ")))
            }
            Self::NeedsTerminal { .. } => Some(
                "run it in a terminal: `deskhand open` a terminal with it as argument, such as \
                 `xterm -e PROGRAM`"
                    .to_owned(),
            ),
            Self::MissingCapability { .. } => Some("run it on a desktop with an X server".to_owned()),
            Self::NotReady { condition, .. } => Some(condition.advice().to_owned()),
            Self::NotApplicable { instead, .. } => Some(instead.clone()),
            Self::SendFailed { error, .. } => error.hint(),
            Self::OutOfBounds { displays, .. } => {
                Some(format!("displays, by corner and size: {}", displays.join("; ")))
            }
            Self::NoKey { near, .. } if near.is_empty() => Some(
                "write it as `ctrl+s`, `F5`, `Return`, `page_down`, or one character".to_owned(),
            ),
            Self::NoKey { near, .. } => Some(format!("nearest: {}", near.join(", "))),
            Self::NoGesture { .. } => {
                Some("zoom, pinch and swipe with two fingers can be done".to_owned())
            }
            Self::ClipboardEmpty => Some("copy something first".to_owned()),
            Self::NoFormat { forms, .. } => Some(format!("it comes as: {}", forms.join(", "))),
            Self::ClipboardSecret => Some("paste it into the app it is for".to_owned()),
            Self::File { .. } => Some("give the path of a file you may use".to_owned()),
            Self::NoDisplay { displays, .. } => Some(format!("there are: {}", list(displays))),
            Self::NoScreenshot { last: Some(last), .. } => {
                Some(format!("the newest is {last}, the last 100 are kept: take a new one"))
            }
            Self::NoScreenshot { last: None, .. } => {
                Some("take one first: `deskhand screenshot`".to_owned())
            }
            Self::Cancelled { delivery: Delivery::NotSent } => None,
            Self::Cancelled { .. } => Some("look before you try again".to_owned()),
            Self::QuestionPending { .. } => Some("answer it and call again".to_owned()),
            Self::TypingStopped { .. } => Some(
                "look what was typed; to press it, click it: a person is asked then".to_owned(),
            ),
            Self::RateLimited { retry_after_ms, .. } => {
                Some(format!("call again in {retry_after_ms} ms"))
            }
            Self::NotSerializable { .. } => Some("please report it with the app's name".to_owned()),
            Self::Locate(e) => e.hint(),
            Self::Vision(e) => e.hint(),
            Self::Run(e) => e.hint(),
            Self::Dynamic(e) => e.hint(),
            Self::ToolDefinition(e) => e.hint(),
            Self::Script(e) => e.hint(),
            Self::NoScope { .. } => Some(
                "start the server with --sandbox-scope FOLDER, or let the client name the folder it \
                 works in as its first root"
                    .to_owned(),
            ),
            Self::NoCommands => Some("start the server with --toolsets ax,cli".to_owned()),
            Self::Platform(e) => e.hint(),
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
