//! What can go wrong in a command, and what to do about it.
//!
//! Written out by hand: a derive macro would double the time until the first command runs.

use std::fmt;
use std::io;

pub(crate) type Result<T> = std::result::Result<T, Error>;

/// One situation that ends a command.
#[derive(Debug)]
pub(crate) enum Error {
    /// A program could not be started.
    Start { program: String, source: io::Error },
    /// A program ran and said no.
    Failed { command: String, how: String },
    /// A file or folder could not be read or written.
    File { path: String, source: io::Error },
    /// A program answered with something that is not what it documents.
    Answer { command: String, problem: String },
    /// This system has no apt-get.
    NoApt { packages: Vec<String> },
    /// Packages are missing and this user may not install them.
    NoRoot { packages: Vec<String> },
    /// apt-get has never heard of a package.
    NoPackage { package: String },
    /// No compiler here can check for Apple's systems, and none can be made.
    NoApple { why: String },
    /// There is no Node package for this processor.
    NoNode { processor: &'static str },
    /// The demo saw something else than the truth.
    Demo { problem: String },
    /// The X server of the private desktop could not be read.
    Screen { problem: String },
    /// Gates that did not pass.
    Gates { failed: Vec<&'static str> },
}

impl Error {
    pub(crate) fn file(path: impl AsRef<std::path::Path>) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::File { path: path.as_ref().display().to_string(), source }
    }

    pub(crate) fn screen(problem: impl fmt::Display) -> Self {
        Self::Screen { problem: problem.to_string() }
    }

    /// What the reader can do next.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Start { program, .. } => Some(format!("is `{program}` installed and on PATH?")),
            Self::NoApt { packages } => Some(format!(
                "install what your system calls these Debian packages: {}",
                packages.join(" ")
            )),
            Self::NoRoot { packages } if packages.is_empty() => {
                Some("as root: apt-get update".to_owned())
            }
            Self::NoPackage { .. } => Some(
                "Debian 12 has it among its security updates: see that /etc/apt names \
                 bookworm-security, then `apt-get update`"
                    .to_owned(),
            ),
            Self::NoApple { .. } => Some(
                "where rustup reaches its servers: rustup target add aarch64-apple-darwin \
                 x86_64-apple-darwin; else on Debian 12 with a network"
                    .to_owned(),
            ),
            Self::NoRoot { packages } => Some(format!(
                "as root: apt-get update && apt-get install -y --no-install-recommends {}",
                packages.join(" ")
            )),
            Self::NoNode { .. } => Some("install Node 22 or later and put it on PATH".to_owned()),
            Self::Gates { failed } => {
                Some(format!("run one again with `cargo xtask check {}`", failed.join(" ")))
            }
            Self::Failed { .. }
            | Self::File { .. }
            | Self::Answer { .. }
            | Self::Demo { .. }
            | Self::Screen { .. } => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start { program, source } => write!(f, "cannot start `{program}`: {source}"),
            Self::Failed { command, how } => write!(f, "`{command}` failed: {how}"),
            Self::File { path, source } => write!(f, "{path}: {source}"),
            Self::Answer { command, problem } => {
                write!(f, "`{command}` answered unexpectedly: {problem}")
            }
            Self::NoApt { .. } => {
                write!(f, "there is no apt-get here, and `setup` knows no other installer")
            }
            Self::NoRoot { .. } => {
                write!(f, "packages are missing, and installing them needs root or sudo")
            }
            Self::NoPackage { package } => write!(f, "apt-get knows no package `{package}`"),
            Self::NoApple { why } => {
                write!(f, "nothing here can check for macOS: {why}")
            }
            Self::NoNode { processor } => {
                write!(f, "the MCP clients need Node 22, which has no package for {processor}")
            }
            Self::Demo { problem } => write!(f, "the demo failed: {problem}"),
            Self::Screen { problem } => write!(f, "cannot read the screen: {problem}"),
            Self::Gates { failed } => write!(f, "gates failed: {}", failed.join(", ")),
        }
    }
}
