//! Errors of private desktops, with hints.

use std::io;
use std::path::{Path, PathBuf};

use deskhand_model::{Advice, Explain, Step};

use super::options::{MAX_DISPLAY_SIDE, MAX_NAME_LENGTH, MAX_SCREEN_WIDTH};
use super::programs::MissingProgram;

/// The result of an operation on private desktops.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// An error of starting, finding or ending a private desktop.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The name contains invalid characters or has an invalid length.
    #[error("`{name}` is not a valid desktop name")]
    BadName {
        /// The requested name.
        name: String,
    },
    /// Another desktop of this user has this name.
    #[error("a desktop named `{name}` already exists")]
    NameTaken {
        /// The name.
        name: String,
    },
    /// No desktop has this name.
    #[error("there is no desktop named `{name}`")]
    Unknown {
        /// The requested name.
        name: String,
        /// The names of the running desktops.
        known: Vec<String>,
    },
    /// The display size is malformed or out of range.
    #[error("`{size}` is not a valid display size")]
    BadSize {
        /// The requested size.
        size: String,
    },
    /// There are no displays, or together they are wider than an X screen can be.
    #[error("{count} displays with a total width of {width} pixels do not make a valid screen")]
    BadLayout {
        /// The number of displays.
        count: usize,
        /// The sum of their widths.
        width: u64,
    },
    /// Programs that a desktop needs are not installed.
    #[error("not installed: {}", format_missing(missing))]
    MissingPrograms {
        /// All missing programs.
        missing: Vec<MissingProgram>,
    },
    /// A component of the desktop did not start.
    #[error("{program} did not start: {reason}{}", append_log(log))]
    StartFailed {
        /// The program that failed.
        program: String,
        /// The reason of the failure.
        reason: String,
        /// The last lines of its log.
        log: String,
    },
    /// The state directory is not safe to use.
    #[error("{} cannot be used as the state directory of desktops: {reason}", path.display())]
    UnsafeStateDir {
        /// The directory.
        path: PathBuf,
        /// The reason why it is refused.
        reason: String,
    },
    /// Processes of a desktop survived SIGKILL.
    #[error("processes of the desktop do not end: {}", format_pids(pids))]
    NotEnded {
        /// The remaining processes.
        pids: Vec<u32>,
    },
    /// A file operation or system call failed.
    #[error("cannot {action} {}: {source}", path.display())]
    Io {
        /// The operation, as a verb.
        action: &'static str,
        /// The file.
        path: PathBuf,
        /// The system error.
        source: io::Error,
    },
}

impl Error {
    /// Returns a function that adds the operation and the file to a system error.
    pub(super) fn io(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> Self {
        let path = path.to_owned();
        move |source| Self::Io { action, path, source }
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

    fn advice(&self) -> Option<Advice> {
        match self {
            Self::BadName { .. } => Some(format!(
                "use 1 to {MAX_NAME_LENGTH} of the characters a-z, 0-9 and -, not starting with -"
            ).into()),
            Self::NameTaken { name } => Some(
                Advice::from("choose another name, omit the name, or ")
                    .step(Step::StopDesktop { name: name.clone() }),
            ),
            Self::Unknown { known, .. } if known.is_empty() => {
                Some(Advice::from("no desktop is running; ").step(Step::StartDesktop))
            }
            Self::Unknown { known, .. } => Some(format!("running: {}", known.join(", ")).into()),
            Self::BadSize { .. } => Some(format!(
                "write it as WIDTHxHEIGHT, each 1 to {MAX_DISPLAY_SIDE}, such as 1920x1080"
            ).into()),
            Self::BadLayout { .. } => Some(format!(
                "request one or more displays with a total width of at most {MAX_SCREEN_WIDTH} pixels"
            ).into()),
            Self::MissingPrograms { missing } => {
                let packages: Vec<_> = missing.iter().map(|one| one.package).collect();
                Some(format!("run: cargo xtask setup, or apt-get install {}", packages.join(" ")).into())
            }
            Self::StartFailed { .. } => Some(
                "try again; if it fails the same way, run the program by hand to see why".into(),
            ),
            Self::UnsafeStateDir { path, .. } => Some(format!(
                "remove {} or set XDG_RUNTIME_DIR to a directory that only you can enter",
                path.display()
            ).into()),
            Self::NotEnded { .. } => {
                Some("they may wait for a disk or belong to another user; end them manually".into())
            }
            Self::Io { .. } => None,
        }
    }
}

fn format_missing(missing: &[MissingProgram]) -> String {
    let each: Vec<_> =
        missing.iter().map(|one| format!("{} (package {})", one.program, one.package)).collect();
    each.join(", ")
}

fn append_log(log: &str) -> String {
    if log.is_empty() { String::new() } else { format!("\n{log}") }
}

fn format_pids(pids: &[u32]) -> String {
    let each: Vec<_> = pids.iter().map(u32::to_string).collect();
    each.join(", ")
}
