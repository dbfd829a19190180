//! Runs a contender in a process of its own and takes the figures it prints.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::Duration;

use harness::{Program, Stage, outcome};

use crate::error::{Error, Result};
use crate::figures::Figures;

/// A contender that takes longer has no figure.
const PATIENCE: Duration = Duration::from_secs(60);

/// Who is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contender {
    /// Deskhand, inside one process.
    Ours,
    /// Plain pyatspi.
    Pyatspi,
    /// dogtail on top of pyatspi.
    Dogtail,
}

impl Contender {
    /// All of them, in the order they take turns.
    pub(crate) const ALL: [Contender; 3] = [Self::Ours, Self::Pyatspi, Self::Dogtail];

    /// Runs one operation with its arguments.
    pub(crate) fn run(self, stage: &Stage, arguments: &[&str]) -> Result<Figures> {
        let mut command = match self {
            Self::Ours => own(stage, "inside")?,
            Self::Pyatspi => script(stage, "pyatspi_bench.py"),
            Self::Dogtail => script(stage, "dogtail_bench.py"),
        };
        figures(command.args(arguments))
    }
}

/// Runs the CLI and takes its time and memory.
pub(crate) fn cli(stage: &Stage, arguments: &[&str]) -> Result<Figures> {
    figures(own(stage, "measured")?.arg("--").arg(outcome::binary()).args(arguments))
}

fn own(stage: &Stage, part: &str) -> Result<Command> {
    let program = std::env::current_exe().map_err(Error::system("this program"))?;
    let mut command = stage.command(program);
    command.arg(part);
    Ok(command)
}

fn script(stage: &Stage, name: &str) -> Command {
    let mut command = stage.command("/usr/bin/python3");
    command.arg(peers().join(name));
    command
}

fn peers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../peers")
}

fn figures(command: &mut Command) -> Result<Figures> {
    // Ended with its whole process group when dropped, so that one that hangs leaves nothing.
    let program = Program::start(command);
    match program.line(PATIENCE) {
        Some(line) => Ok(serde_json::from_str(&line)?),
        None => Ok(Figures { failed: 1, ..Figures::default() }),
    }
}
