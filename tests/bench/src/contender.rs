//! Runs a contender in a separate process and parses the figures it prints.

use std::path::{Path, PathBuf};
use std::process::Command;

use harness::{Program, TestDesktop, outcome};

use crate::error::{Error, Result};
use crate::figures::Figures;
use crate::timing::CONTENDER_TIMEOUT;

/// A library that is measured.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Contender {
    /// Deskhand, in one process.
    Ours,
    /// pyatspi.
    Pyatspi,
    /// dogtail, which is built on pyatspi.
    Dogtail,
}

impl Contender {
    /// All contenders, in the order they take turns.
    pub(crate) const ALL: [Contender; 3] = [Self::Ours, Self::Pyatspi, Self::Dogtail];

    /// Runs one operation with its arguments.
    pub(crate) fn run(self, desktop: &TestDesktop, arguments: &[&str]) -> Result<Figures> {
        let mut command = match self {
            Self::Ours => bench_command(desktop, "inside")?,
            Self::Pyatspi => peer_script(desktop, "pyatspi_bench.py"),
            Self::Dogtail => peer_script(desktop, "dogtail_bench.py"),
        };
        run_and_parse(command.args(arguments))
    }
}

/// Runs the CLI and measures its time and memory.
pub(crate) fn cli(desktop: &TestDesktop, arguments: &[&str]) -> Result<Figures> {
    run_and_parse(
        bench_command(desktop, "measured")?.arg("--").arg(outcome::binary()).args(arguments),
    )
}

/// Runs a peer script and measures its time and memory as a whole process.
pub(crate) fn peer_process(
    desktop: &TestDesktop,
    name: &str,
    arguments: &[&str],
) -> Result<Figures> {
    let mut command = bench_command(desktop, "measured")?;
    command.args(["--", "/usr/bin/python3"]).arg(peers().join(name)).args(arguments);
    run_and_parse(&mut command)
}

fn bench_command(desktop: &TestDesktop, part: &str) -> Result<Command> {
    let program = std::env::current_exe().map_err(Error::system("this program"))?;
    let mut command = desktop.command(program);
    command.arg(part);
    Ok(command)
}

fn peer_script(desktop: &TestDesktop, name: &str) -> Command {
    let mut command = desktop.command("/usr/bin/python3");
    command.arg(peers().join(name));
    command
}

fn peers() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../peers")
}

fn run_and_parse(command: &mut Command) -> Result<Figures> {
    // Dropping the program kills its process group, so a contender that hangs leaves nothing
    // behind.
    let program = Program::start(command);
    match program.next_line(CONTENDER_TIMEOUT) {
        Some(line) => Ok(serde_json::from_str(&line)?),
        None => Ok(Figures { failed: 1, ..Figures::default() }),
    }
}
