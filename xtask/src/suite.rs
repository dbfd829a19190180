//! `test`, `bench`, `soak` and `bless`: install packages, then run cargo.

use crate::check::unsafety;
use crate::check::workspace::Workspace;
use crate::error::Result;
use crate::interop;
use crate::leftovers::Before;
use crate::packages::{self, Group};
use crate::process;

/// The feature with which tests build the binary: `mcp serve --conformance` serves fixtures. Releases and
/// the demo are built without it.
pub(crate) const FIXTURES: [&str; 2] = ["--features", "deskhand-cli/conformance"];

/// Runs all tests of the workspace, and reports the files that they leave behind. The arguments are passed to
/// the test runner.
pub(crate) fn test(arguments: &[String]) -> Result<()> {
    let before = Before::list()?;
    let result = run_tests(arguments);
    before.report_new()?;
    result
}

fn run_tests(arguments: &[String]) -> Result<()> {
    packages::ensure_if_possible(&[Group::Desktop, Group::Fleet, Group::Interop])?;
    interop::ensure()?;
    // The end-to-end tests run the built binaries, which `cargo test` does not build.
    process::run(process::quiet_cargo("build").args(["--workspace", "--bins"]).args(FIXTURES))?;
    if !process::capture(process::cargo().args(["nextest", "--version"]))?.ok {
        println!("test: cargo-nextest is not installed; running `cargo test`");
        let mut command = process::cargo();
        command.args(["test", "--no-fail-fast"]).args(scope(arguments)).args(arguments);
        return process::run(&mut command);
    }
    let mut command = process::cargo();
    process::run(command.args(["nextest", "run"]).args(scope(arguments)).args(arguments))?;
    if arguments.is_empty() {
        // nextest does not run documentation examples.
        let mut examples = process::quiet_cargo("test");
        process::run(examples.args(["--workspace", "--doc"]).args(FIXTURES))?;
    }
    Ok(())
}

/// Returns the arguments that select the whole workspace, or none if the caller selects packages: in cargo,
/// `--workspace` overrides `--package`. The same features as for the binaries avoid a second build.
fn scope(arguments: &[String]) -> Vec<&'static str> {
    let chosen = arguments.iter().any(|it| it.starts_with("-p") || it.starts_with("--package"));
    if chosen { Vec::new() } else { [&["--workspace"], &FIXTURES[..]].concat() }
}

/// Builds the binary for the golden tests, which read its help texts.
pub(crate) fn build_for_goldens() -> Result<()> {
    process::run(process::quiet_cargo("build").args(["--package", "deskhand-cli"]).args(FIXTURES))
}

/// Prints the benchmark table, or only the named rows; `actions` prints the matrix of actions.
pub(crate) fn bench(names: &[String]) -> Result<()> {
    packages::ensure_if_possible(&[Group::Desktop, Group::Fleet])?;
    interop::ensure()?;
    match names.split_first() {
        Some((first, rest)) if first == "actions" => release_program("soak", "actions", rest),
        Some(_) | None => release_program("bench", "bench", names),
    }
}

/// Runs a test that takes too long to run for every change.
pub(crate) fn soak(names: &[String]) -> Result<()> {
    packages::ensure_if_possible(&[Group::Desktop, Group::Fleet])?;
    if names.first().is_some_and(|name| name == "unseen") {
        packages::ensure_if_possible(&[Group::Unseen])?;
    }
    release_program("soak", "soak", names)
}

/// Rewrites the golden files from the current output.
pub(crate) fn bless() -> Result<()> {
    unsafety::bless()?;
    if !Workspace::read()?.has_target("e2e", "golden") {
        println!("bless: there are no golden tests");
        return Ok(());
    }
    build_for_goldens()?;
    process::run(process::quiet_cargo("test").args(GOLDEN).env("BLESS", "1"))
}

/// The arguments of `cargo test` that run the golden tests.
pub(crate) const GOLDEN: [&str; 4] = ["--package", "e2e", "--test", "golden"];

fn release_program(package: &str, name: &str, arguments: &[String]) -> Result<()> {
    process::run(process::quiet_cargo("build").args(["--release", "--package", "deskhand-cli"]))?;
    process::run(
        process::quiet_cargo("run")
            .args(["--release", "--package", package, "--bin", name, "--"])
            .args(arguments),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn selected_packages_replace_the_workspace() {
        let split = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        let all = ["--workspace", "--features", "deskhand-cli/conformance"];
        assert_eq!(scope(&[]), all);
        assert_eq!(scope(&split("refs --no-capture")), all);
        assert!(scope(&split("-p deskhand-model")).is_empty());
        assert!(scope(&split("--package=e2e")).is_empty());
    }
}
