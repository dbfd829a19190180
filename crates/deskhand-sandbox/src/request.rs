//! Requests to a sandbox and their results, the same on every platform.

use std::{collections::BTreeMap, path::PathBuf};

use serde::{Deserialize, Serialize};

/// The mechanism that enforces a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Enforcement {
    /// The kernel. A plan that it cannot enforce is refused.
    Kernel,
    /// None: programs run with the permissions of the server. The sandbox only guarantees that all
    /// descendants of a program end with it.
    None,
}

/// The command line of the broker process. The program must call [`crate::run_broker`] when it gets this
/// argument.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BrokerCommand {
    /// The program. It may be the server's own executable.
    pub program: PathBuf,
    /// Its only argument.
    pub argument: String,
}

/// A program to run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The program: a path, or a name that is looked for along `PATH`.
    pub program: String,
    /// Its arguments.
    pub arguments: Vec<String>,
    /// Variables in addition to those of the plan.
    pub environment: BTreeMap<String, String>,
    /// The working folder.
    pub folder: PathBuf,
}

/// A script for `sh`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    /// The commands.
    pub text: String,
    /// Variables in addition to those of the plan.
    pub environment: BTreeMap<String, String>,
    /// The working folder. Empty means the scope.
    pub folder: PathBuf,
}

/// The size of a terminal in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct TerminalSize {
    /// The number of lines.
    pub rows: u16,
    /// The number of characters in a line.
    pub columns: u16,
}

/// The way a program ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ExitReason {
    /// It exited with this code.
    Exit(i32),
    /// It was killed by this signal.
    Signal(i32),
    /// It could not be started, for this reason.
    NotStarted(String),
}
