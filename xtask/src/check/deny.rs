//! deny: licences, duplicates, sources and advisories of dependencies.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::check::fault::{Fault, Verdict};
use crate::check::files::Files;
use crate::error::{Error, Result};
use crate::process;

/// The version of cargo-deny to install if it is missing.
const VERSION: &str = "0.20.2";
/// Timeout for downloading the advisory database: without a network it would hang.
const DATABASE_TIMEOUT: Duration = Duration::from_secs(60);
/// Interval at which the download is checked for its end.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

pub(super) fn gate(files: &Files) -> Result<Verdict> {
    let program = program(&files.root)?;
    let (topics, note) = if fetch_database(&program, &files.root)? {
        (&["advisories", "bans", "licenses", "sources"][..], "")
    } else {
        (
            &["bans", "licenses", "sources"][..],
            "; advisories NOT checked: cannot download their database",
        )
    };
    let mut check = Command::new(&program);
    check.current_dir(&files.root).args(["--log-level", "error"]).arg("check").args(topics);
    let captured = process::capture(check.args(["--hide-inclusion-graph"]))?;
    let mut faults = Vec::new();
    if !captured.ok {
        faults.push(Fault::new(format!("cargo deny failed:\n{}", captured.stderr.trim())));
    }
    Ok(Verdict::new(faults, format!("{}{note}", topics.join(", "))))
}

/// Returns the installed cargo-deny, or builds it once into the target folder.
fn program(root: &Path) -> Result<PathBuf> {
    if process::is_on_path("cargo-deny") {
        return Ok("cargo-deny".into());
    }
    let folder = root.join("target/tools");
    let own = folder.join("bin/cargo-deny");
    if !own.is_file() {
        // A debug build takes 75 s on two cores, and checks this workspace in 2 s.
        println!("check: building cargo-deny {VERSION} into target/tools (only once)");
        process::run(
            process::quiet_cargo("install")
                .args(["cargo-deny", "--locked", "--debug", "--version", VERSION, "--root"])
                .arg(&folder),
        )?;
    }
    Ok(own)
}

/// Downloads or updates the advisory database; returns `false` if that fails or takes too long.
fn fetch_database(program: &Path, root: &Path) -> Result<bool> {
    let child = Command::new(program)
        .current_dir(root)
        .args(["fetch", "db"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|source| Error::Start { program: "cargo-deny".into(), source })?;
    succeeds_within(child, DATABASE_TIMEOUT)
}

fn succeeds_within(mut child: Child, timeout: Duration) -> Result<bool> {
    let start = Instant::now();
    let lost = |source| Error::Start { program: "cargo-deny".into(), source };
    loop {
        if let Some(status) = child.try_wait().map_err(lost)? {
            return Ok(status.success());
        }
        if start.elapsed() > timeout {
            child.kill().map_err(lost)?;
            child.wait().map_err(lost)?;
            return Ok(false);
        }
        thread::sleep(POLL_INTERVAL);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_hangs_is_killed() {
        let start = Instant::now();
        let child = Command::new("sleep").arg("60").spawn().unwrap();
        assert!(!succeeds_within(child, Duration::from_millis(100)).unwrap());
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn success_and_failure_differ() {
        let spawn = |program| Command::new(program).spawn().unwrap();
        assert!(succeeds_within(spawn("true"), Duration::from_secs(10)).unwrap());
        assert!(!succeeds_within(spawn("false"), Duration::from_secs(10)).unwrap());
    }
}
