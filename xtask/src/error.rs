//! Errors of commands.
//!
//! The traits are implemented by hand: a derive macro would double the build time of the first command.

use std::fmt;
use std::io;

pub(crate) type Result<T> = std::result::Result<T, Error>;

/// An error that ends a command.
#[derive(Debug)]
pub(crate) enum Error {
    /// A program could not be started.
    Start { program: String, source: io::Error },
    /// A program failed.
    Failed { command: String, reason: String },
    /// A file or folder could not be read or written.
    File { path: String, source: io::Error },
    /// A program printed unexpected output.
    UnexpectedOutput { command: String, problem: String },
    /// This system has no apt-get.
    NoApt { packages: Vec<String> },
    /// Packages are missing, and this user cannot install them.
    NoRoot { packages: Vec<String> },
    /// apt-get does not know a package.
    UnknownPackage { package: String },
    /// No compiler for Apple targets is available.
    NoAppleCompiler { reason: String },
    /// There is no Node package for this processor.
    NoNode { processor: &'static str },
    /// The demo failed.
    Demo { problem: String },
    /// The X server of the private desktop could not be read.
    Screen { problem: String },
    /// Gates failed.
    Gates { failed: Vec<&'static str> },
}

impl Error {
    pub(crate) fn file(path: impl AsRef<std::path::Path>) -> impl FnOnce(io::Error) -> Self {
        move |source| Self::File { path: path.as_ref().display().to_string(), source }
    }

    pub(crate) fn screen(problem: impl fmt::Display) -> Self {
        Self::Screen { problem: problem.to_string() }
    }

    /// Returns advice for the user.
    pub(crate) fn hint(&self) -> Option<String> {
        match self {
            Self::Start { program, .. } => Some(format!("install `{program}`, or add it to PATH")),
            Self::NoApt { packages } => Some(format!(
                "install your system's equivalents of these Debian packages: {}",
                packages.join(" ")
            )),
            Self::NoRoot { packages } if packages.is_empty() => {
                Some("run as root: apt-get update".to_owned())
            }
            Self::UnknownPackage { .. } => Some(
                "it is in the security updates of Debian 12: add bookworm-security to /etc/apt, and \
                 run `apt-get update`"
                    .to_owned(),
            ),
            Self::NoAppleCompiler { .. } => Some(
                "run `rustup target add aarch64-apple-darwin x86_64-apple-darwin`, or run this command \
                 on Debian 12 with network access"
                    .to_owned(),
            ),
            Self::NoRoot { packages } => Some(format!(
                "run as root: apt-get update && apt-get install -y --no-install-recommends {}",
                packages.join(" ")
            )),
            Self::NoNode { .. } => Some("install Node 22 or later, and add it to PATH".to_owned()),
            Self::Gates { failed } => {
                Some(format!("run them again with `cargo xtask check {}`", failed.join(" ")))
            }
            Self::Failed { .. }
            | Self::File { .. }
            | Self::UnexpectedOutput { .. }
            | Self::Demo { .. }
            | Self::Screen { .. } => None,
        }
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Start { program, source } => write!(f, "cannot start `{program}`: {source}"),
            Self::Failed { command, reason } => write!(f, "`{command}` failed: {reason}"),
            Self::File { path, source } => write!(f, "{path}: {source}"),
            Self::UnexpectedOutput { command, problem } => {
                write!(f, "unexpected output of `{command}`: {problem}")
            }
            Self::NoApt { .. } => {
                write!(f, "apt-get is not installed, and `setup` supports no other package manager")
            }
            Self::NoRoot { .. } => {
                write!(f, "packages are missing, and installing them needs root or sudo")
            }
            Self::UnknownPackage { package } => {
                write!(f, "apt-get does not know the package `{package}`")
            }
            Self::NoAppleCompiler { reason } => {
                write!(f, "no compiler for macOS targets: {reason}")
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
