//! `demo`: works in two real apps on a private desktop over MCP while a user types into a third window,
//! and verifies every effect.

mod progress;
mod screen;
mod script;
mod server;
mod user;

use std::fs;
use std::process::Command;
use std::thread;
use std::time::{Duration, Instant};

use crate::error::{Error, Result};
use crate::packages::{self, Group};
use crate::process;

use progress::ProgressLog;
pub(crate) use script::run_script;

/// The hidden command that runs on the private desktop.
pub(crate) const SCRIPT_COMMAND: &str = "demo-stage";
/// Timeout for a window or a file on a slow machine.
const WAIT_TIMEOUT: Duration = Duration::from_secs(20);
/// The interval of checks: short, so that the demo does not wait noticeably.
const POLL_INTERVAL: Duration = Duration::from_millis(25);

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

/// Repeats a check until it returns a value. Fails after [`WAIT_TIMEOUT`].
fn wait_for<T>(what: &str, check: impl FnMut() -> Result<Option<T>>) -> Result<T> {
    wait_at_most(WAIT_TIMEOUT, what, check)
}

fn wait_at_most<T>(
    timeout: Duration,
    what: &str,
    mut check: impl FnMut() -> Result<Option<T>>,
) -> Result<T> {
    let start = Instant::now();
    loop {
        if let Some(found) = check()? {
            return Ok(found);
        }
        if start.elapsed() > timeout {
            let problem = format!("{what} did not appear within {} s", timeout.as_secs());
            return Err(Error::Demo { problem });
        }
        thread::sleep(POLL_INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn waiting_ends() {
        let error = wait_at_most::<()>(Duration::ZERO, "the window", || Ok(None)).unwrap_err();
        assert_eq!(error.to_string(), "the demo failed: the window did not appear within 0 s");
    }
}
