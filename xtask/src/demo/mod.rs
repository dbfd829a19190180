//! `demo`: reads a real app on a private desktop through Deskhand, and verifies the result.

mod binary;
mod progress;
mod screen;
mod script;

use std::fs;
use std::process::Command;

use crate::error::{Error, Result};
use crate::packages::{self, Group};
use crate::process;

use progress::ProgressLog;
pub(crate) use script::run_script;

/// The hidden command that runs on the private desktop.
pub(crate) const SCRIPT_COMMAND: &str = "demo-stage";

/// Installs missing packages, builds the binary and runs the demo.
pub(crate) fn run() -> Result<()> {
    let progress = ProgressLog::start();
    packages::ensure_if_possible(&[Group::Demo])?;
    process::run(process::cargo().args(["build", "--package", "deskhand-cli"]))?;
    let deskhand = process::built_program("deskhand")?;
    progress.print("deskhand is built");
    let out = process::root().join("out");
    fs::create_dir_all(&out).map_err(Error::file(&out))?;
    let own = std::env::current_exe().map_err(Error::file("xtask"))?;
    // `desktop run` removes the desktop even if the script fails.
    let mut command = Command::new(&deskhand);
    command.args(["desktop", "run", "--size", "1280x800", "--"]);
    command.arg(own).arg(SCRIPT_COMMAND).arg(&deskhand).arg(&out);
    // The demo must not use the user's settings, or write to their audit log.
    for folder in ["config", "data", "state", "runtime"] {
        let name = format!("DESKHAND_{}_DIR", folder.to_uppercase());
        command.env(name, out.join("deskhand").join(folder));
    }
    process::run(&mut command)?;
    progress.print("the private desktop is removed");
    Ok(())
}
