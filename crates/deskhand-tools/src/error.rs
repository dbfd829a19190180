//! What can go wrong in a tool.

use deskhand_model::Explain;

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
    SeveralApps {
        /// What was asked for.
        wanted: String,
        /// Those that match.
        matching: Vec<String>,
    },
    /// No app was named and none stands out.
    #[error("which app? none was named and no window has the focus")]
    WhichApp {
        /// The apps there are.
        running: Vec<String>,
    },
    /// This desktop lacks a part the tool needs.
    #[error("this desktop has no {part}")]
    Absent {
        /// What is missing.
        part: &'static str,
    },
    /// The answer cannot be written as JSON.
    #[error("the answer cannot be written: {why}")]
    Unwritable {
        /// What stands in the way.
        why: String,
    },
    /// The element was not found, or not for certain.
    #[error(transparent)]
    Locate(#[from] deskhand_locate::Error),
    /// The desktop did not do what it was asked.
    #[error(transparent)]
    Platform(#[from] deskhand_platform::Error),
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
            Self::SeveralApps { .. } => "ambiguous_app",
            Self::WhichApp { .. } => "app_required",
            Self::Absent { .. } => "unimplemented",
            Self::Unwritable { .. } => "internal",
            Self::Locate(e) => e.code(),
            Self::Platform(e) => e.code(),
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::BadArguments { tool, .. } => Some(format!("see `deskhand {tool} --help`")),
            Self::NoApp { running, .. } => Some(format!("running: {}", list(running))),
            Self::NoTree { window, .. } => Some(format!(
                "only the pixels of {window:?} can be seen: it may not support accessibility, or \
                 was started before it was switched on"
            )),
            Self::SeveralApps { matching, .. } => {
                Some(format!("name one by its pid: {}", list(matching)))
            }
            Self::WhichApp { running } => {
                Some(format!("pass --app with one of: {}", list(running)))
            }
            Self::Absent { .. } => Some("run it on a desktop with an X server".to_owned()),
            Self::Unwritable { .. } => Some("please report it with the app's name".to_owned()),
            Self::Locate(e) => e.hint(),
            Self::Platform(e) => e.hint(),
        }
    }
}
