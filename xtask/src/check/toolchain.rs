//! fmt, clippy, doc: gates that run a cargo command.

use std::path::Path;
use std::process::Command;

use crate::check::fault::{Fault, Verdict};
use crate::check::files::Files;
use crate::error::Result;
use crate::{process, suite};

/// Checks that the source is formatted.
pub(super) fn fmt(files: &Files) -> Result<Verdict> {
    ensure_component("rustfmt", "fmt")?;
    let mut listing = process::cargo();
    listing.args(["fmt", "--all", "--", "--check", "--files-with-diff"]);
    let captured = process::capture(&mut listing)?;
    let mut faults: Vec<Fault> = captured
        .stdout
        .lines()
        .map(|path| Path::new(path).strip_prefix(&files.root).unwrap_or(Path::new(path)))
        .map(|path| Fault::file(&path.to_string_lossy(), "not formatted; run `cargo fmt --all`"))
        .collect();
    if !captured.ok && faults.is_empty() {
        faults.push(Fault::new(captured.stderr.trim()));
    }
    Ok(Verdict::new(faults, "cargo fmt --all --check"))
}

/// Checks that clippy has no warnings, with the test fixtures. The gate `macos` checks without them.
pub(super) fn clippy(_: &Files) -> Result<Verdict> {
    ensure_component("clippy", "clippy")?;
    let mut command = process::quiet_cargo("clippy");
    command.args(["--workspace", "--all-targets"]).args(suite::FIXTURES);
    command.args(["--", "-D", "warnings"]);
    run_visibly(&mut command)
}

/// Checks that the documentation builds without warnings.
pub(super) fn doc(_: &Files) -> Result<Verdict> {
    let mut command = process::quiet_cargo("doc");
    command.args(["--workspace", "--no-deps"]).env("RUSTDOCFLAGS", "-D warnings");
    run_visibly(&mut command)
}

/// Runs a command that prints its errors directly.
pub(super) fn run_visibly(command: &mut Command) -> Result<Verdict> {
    let line = process::command_line(command);
    let faults = match process::run(command) {
        Ok(()) => Vec::new(),
        Err(error) => vec![Fault::new(error.to_string())],
    };
    Ok(Verdict::new(faults, line))
}

/// Installs a component that the minimal profile of a toolchain lacks.
fn ensure_component(component: &str, subcommand: &str) -> Result<()> {
    if process::capture(process::cargo().args([subcommand, "--version"]))?.ok {
        return Ok(());
    }
    println!("check: installing the toolchain component {component}");
    process::run(Command::new("rustup").args(["component", "add", component]))
}
