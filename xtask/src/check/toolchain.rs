//! fmt, clippy, doc: the gates cargo itself knows.

use std::path::Path;
use std::process::Command;

use crate::check::fault::{Fault, Verdict};
use crate::check::files::Files;
use crate::error::Result;
use crate::process;

/// The source is formatted as rustfmt formats it.
pub(super) fn fmt(files: &Files) -> Result<Verdict> {
    component("rustfmt", "fmt")?;
    let mut listing = process::cargo();
    listing.args(["fmt", "--all", "--", "--check", "--files-with-diff"]);
    let captured = process::capture(&mut listing)?;
    let mut faults: Vec<Fault> = captured
        .stdout
        .lines()
        .map(|path| Path::new(path).strip_prefix(&files.root).unwrap_or(Path::new(path)))
        .map(|path| {
            Fault::file(&path.to_string_lossy(), "not formatted; `cargo fmt --all` does it")
        })
        .collect();
    if !captured.ok && faults.is_empty() {
        faults.push(Fault::new(captured.stderr.trim()));
    }
    Ok(Verdict::new(faults, "cargo fmt --all --check"))
}

/// No lint warns, tests and benches included.
pub(super) fn clippy(_: &Files) -> Result<Verdict> {
    component("clippy", "clippy")?;
    let mut command = process::quiet_cargo("clippy");
    command.args(["--workspace", "--all-targets", "--", "-D", "warnings"]);
    shown(&mut command)
}

/// The documentation builds without a warning.
pub(super) fn doc(_: &Files) -> Result<Verdict> {
    let mut command = process::quiet_cargo("doc");
    command.args(["--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
    shown(&mut command)
}

/// A command whose complaints go straight to the reader.
pub(super) fn shown(command: &mut Command) -> Result<Verdict> {
    let line = process::line(command);
    let faults = match process::run(command) {
        Ok(()) => Vec::new(),
        Err(error) => vec![Fault::new(error.to_string())],
    };
    Ok(Verdict::new(faults, line))
}

/// A toolchain installed in its minimal profile lacks these two; rustup has them.
fn component(component: &str, subcommand: &str) -> Result<()> {
    if process::capture(process::cargo().args([subcommand, "--version"]))?.ok {
        return Ok(());
    }
    println!("check: adding the toolchain's {component}");
    process::run(Command::new("rustup").args(["component", "add", component]))
}
