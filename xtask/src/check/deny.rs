//! deny: licences, duplicates, sources and advisories of every crate we build on.

use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::check::fault::{Fault, Verdict};
use crate::check::files::Files;
use crate::error::{Error, Result};
use crate::process;

/// What is installed where cargo-deny is missing.
const VERSION: &str = "0.20.2";
/// How long the advisory database may take to come.
const PATIENCE: Duration = Duration::from_secs(60);

pub(super) fn gate(files: &Files) -> Result<Verdict> {
    let program = program(&files.root)?;
    let (topics, note) = if database_comes(&program, &files.root)? {
        (&["advisories", "bans", "licenses", "sources"][..], "")
    } else {
        (
            &["bans", "licenses", "sources"][..],
            "; advisories NOT checked: their database cannot be reached from here",
        )
    };
    let mut check = Command::new(&program);
    check.current_dir(&files.root).args(["--log-level", "error"]).arg("check").args(topics);
    let captured = process::capture(check.args(["--hide-inclusion-graph"]))?;
    let mut faults = Vec::new();
    if !captured.ok {
        faults.push(Fault::new(format!("cargo deny says:\n{}", captured.stderr.trim())));
    }
    Ok(Verdict::new(faults, format!("{}{note}", topics.join(", "))))
}

/// The user's own cargo-deny, or one built once into the target folder.
fn program(root: &Path) -> Result<PathBuf> {
    if process::on_path("cargo-deny") {
        return Ok("cargo-deny".into());
    }
    let folder = root.join("target/tools");
    let own = folder.join("bin/cargo-deny");
    if !own.is_file() {
        // Unoptimised it builds in 75 s on two cores and checks this workspace in 2 s.
        println!("check: building cargo-deny {VERSION} into target/tools, once");
        process::run(
            process::quiet_cargo("install")
                .args(["cargo-deny", "--locked", "--debug", "--version", VERSION, "--root"])
                .arg(&folder),
        )?;
    }
    Ok(own)
}

/// Whether the advisory database could be fetched or refreshed in time.
fn database_comes(program: &Path, root: &Path) -> Result<bool> {
    let child = Command::new(program)
        .current_dir(root)
        .args(["fetch", "db"])
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .map_err(|source| Error::Start { program: "cargo-deny".into(), source })?;
    succeeds_within(child, PATIENCE)
}

fn succeeds_within(mut child: Child, patience: Duration) -> Result<bool> {
    let start = Instant::now();
    let lost = |source| Error::Start { program: "cargo-deny".into(), source };
    loop {
        if let Some(status) = child.try_wait().map_err(lost)? {
            return Ok(status.success());
        }
        if start.elapsed() > patience {
            child.kill().map_err(lost)?;
            child.wait().map_err(lost)?;
            return Ok(false);
        }
        thread::sleep(Duration::from_millis(20));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_program_that_hangs_is_given_up() {
        let start = Instant::now();
        let child = Command::new("sleep").arg("60").spawn().unwrap();
        assert!(!succeeds_within(child, Duration::from_millis(100)).unwrap());
        assert!(start.elapsed() < Duration::from_secs(10));
    }

    #[test]
    fn success_and_failure_are_told_apart() {
        let spawn = |program| Command::new(program).spawn().unwrap();
        assert!(succeeds_within(spawn("true"), Duration::from_secs(10)).unwrap());
        assert!(!succeeds_within(spawn("false"), Duration::from_secs(10)).unwrap());
    }
}
