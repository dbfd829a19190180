//! What is asked of a sandbox, and what it answers, the same on every platform.

use std::{collections::BTreeMap, path::PathBuf};

use serde::{Deserialize, Serialize};

/// Who enforces a plan.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum How {
    /// The kernel: what it cannot enforce is refused.
    Kernel,
    /// Nobody: programs run as the server does. Only that they end with all they start is kept.
    None,
}

/// How the process that starts programs is itself started: a program that calls [`crate::broker`] when it
/// is given the word.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Broker {
    /// The program; the server's own will do.
    pub program: PathBuf,
    /// Its only argument.
    pub word: String,
}

/// A program to run.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Request {
    /// The program: a path, or a name that is looked for along `PATH`.
    pub program: String,
    /// What it is given.
    pub arguments: Vec<String>,
    /// Variables on top of those of the plan.
    pub environment: BTreeMap<String, String>,
    /// The folder it begins in.
    pub folder: PathBuf,
}

/// A script for `sh`.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Script {
    /// The commands.
    pub text: String,
    /// Variables on top of those of the plan.
    pub environment: BTreeMap<String, String>,
    /// The folder it begins in; the scope when empty.
    pub folder: PathBuf,
}

/// The size of a terminal in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Size {
    /// Lines.
    pub rows: u16,
    /// Characters in a line.
    pub columns: u16,
}

/// How a program ended.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Ended {
    /// By itself, with this code.
    Exit(i32),
    /// By this signal.
    Signal(i32),
    /// It never began, and why.
    NotStarted(String),
}
