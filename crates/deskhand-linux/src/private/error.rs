//! What can go wrong with a private desktop, and what to do about it.

use std::io;
use std::path::{Path, PathBuf};

use deskhand_model::Explain;

use super::options::{LARGEST_SIDE, LONGEST_NAME, WIDEST_SCREEN};
use super::programs::Missing;

/// The result of an operation on private desktops.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// A private desktop that could not be made, found or ended.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The wanted name has characters or a length that names cannot have.
    #[error("`{name}` is not a name for a desktop")]
    BadName {
        /// The name as it was given.
        name: String,
    },
    /// Another desktop of this user has the wanted name.
    #[error("a desktop named `{name}` exists already")]
    NameTaken {
        /// The name that is in use.
        name: String,
    },
    /// No desktop has this name.
    #[error("there is no desktop named `{name}`")]
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The names of the desktops there are.
        known: Vec<String>,
    },
    /// A display size that is not a size, or that no X server can show.
    #[error("`{size}` is not a display size")]
    BadSize {
        /// The size as it was given.
        size: String,
    },
    /// The displays side by side are wider than one X screen can be, or there is none at all.
    #[error("{count} displays that are {width} pixels wide together do not make a screen")]
    BadLayout {
        /// How many displays were asked for.
        count: usize,
        /// Their widths added up.
        width: u64,
    },
    /// Programs that a desktop is made of are not installed.
    #[error("not installed: {}", list(missing))]
    MissingPrograms {
        /// Every program that was not found.
        missing: Vec<Missing>,
    },
    /// A part of the desktop did not come up.
    #[error("{program} did not start: {reason}{}", quoted(log))]
    StartFailed {
        /// The program that failed.
        program: String,
        /// What was seen of the failure.
        reason: String,
        /// The last lines of its log.
        log: String,
    },
    /// The directory for the state of desktops is not safe to use.
    #[error("{} cannot hold the state of desktops: {reason}", path.display())]
    UnsafeStateDir {
        /// The directory.
        path: PathBuf,
        /// Why it is refused.
        reason: String,
    },
    /// Processes of a desktop outlived every attempt to end them.
    #[error("processes of the desktop do not end: {}", numbers(pids))]
    NotEnded {
        /// The processes that are left.
        pids: Vec<u32>,
    },
    /// A file or a system call failed.
    #[error("cannot {doing} {}: {source}", path.display())]
    Io {
        /// What was being done, as a verb.
        doing: &'static str,
        /// With which file.
        path: PathBuf,
        /// What the system said.
        source: io::Error,
    },
}

impl Error {
    /// Turns a system error into one that says what was done with which file.
    pub(super) fn io(doing: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { doing, path, source }
    }
}

impl Explain for Error {
    fn code(&self) -> &'static str {
        match self {
            Self::BadName { .. } => "bad_name",
            Self::NameTaken { .. } => "name_taken",
            Self::Unknown { .. } => "unknown_desktop",
            Self::BadSize { .. } => "bad_size",
            Self::BadLayout { .. } => "bad_layout",
            Self::MissingPrograms { .. } => "missing_program",
            Self::StartFailed { .. } => "start_failed",
            Self::UnsafeStateDir { .. } => "unsafe_state_dir",
            Self::NotEnded { .. } => "not_ended",
            Self::Io { .. } => "io",
        }
    }

    fn hint(&self) -> Option<String> {
        match self {
            Self::BadName { .. } => Some(format!(
                "use 1 to {LONGEST_NAME} of the characters a-z, 0-9 and -, not starting with -"
            )),
            Self::NameTaken { name } => Some(format!(
                "choose another name, leave the name out, or end it: deskhand desktop down {name}"
            )),
            Self::Unknown { known, .. } if known.is_empty() => {
                Some("none is running; start one: deskhand desktop up".into())
            }
            Self::Unknown { known, .. } => Some(format!("running: {}", known.join(", "))),
            Self::BadSize { .. } => Some(format!(
                "write it as WIDTHxHEIGHT, each 1 to {LARGEST_SIDE}, such as 1920x1080"
            )),
            Self::BadLayout { .. } => Some(format!(
                "ask for one or more displays, together at most {WIDEST_SCREEN} pixels wide"
            )),
            Self::MissingPrograms { missing } => {
                let packages: Vec<_> = missing.iter().map(|one| one.package).collect();
                Some(format!("run: cargo xtask setup, or apt-get install {}", packages.join(" ")))
            }
            Self::StartFailed { .. } => Some(
                "try again; if it fails the same way, run the program by hand to see why".into(),
            ),
            Self::UnsafeStateDir { path, .. } => Some(format!(
                "remove {} or set XDG_RUNTIME_DIR to a directory only you can enter",
                path.display()
            )),
            Self::NotEnded { .. } => {
                Some("they may wait for a disk or belong to another user; end them by hand".into())
            }
            Self::Io { .. } => None,
        }
    }
}

fn list(missing: &[Missing]) -> String {
    let each: Vec<_> =
        missing.iter().map(|one| format!("{} (package {})", one.program, one.package)).collect();
    each.join(", ")
}

fn quoted(log: &str) -> String {
    if log.is_empty() { String::new() } else { format!("\n{log}") }
}

fn numbers(pids: &[u32]) -> String {
    let each: Vec<_> = pids.iter().map(u32::to_string).collect();
    each.join(", ")
}
