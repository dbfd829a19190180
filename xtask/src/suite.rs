//! `test`, `bench`, `soak` and `bless`: cargo with the right words, after the packages are there.

use crate::check::unsafety;
use crate::check::workspace::Workspace;
use crate::error::Result;
use crate::interop;
use crate::packages::{self, Group};
use crate::process;

/// Runs every test of the workspace; arguments go to the test runner as they are.
pub(crate) fn test(arguments: &[String]) -> Result<()> {
    packages::want(&[Group::Desktop, Group::Fleet, Group::Interop])?;
    interop::ensure()?;
    // The end-to-end tests drive the built binaries, which test builds alone do not make.
    process::run(process::quiet_cargo("build").args(["--workspace", "--bins"]))?;
    if !process::capture(process::cargo().args(["nextest", "--version"]))?.ok {
        println!("test: cargo-nextest is not installed; running `cargo test`");
        let mut command = process::cargo();
        command.args(["test", "--no-fail-fast"]).args(scope(arguments)).args(arguments);
        return process::run(&mut command);
    }
    let mut command = process::cargo();
    process::run(command.args(["nextest", "run"]).args(scope(arguments)).args(arguments))?;
    if arguments.is_empty() {
        // nextest leaves documentation examples out.
        process::run(process::quiet_cargo("test").args(["--workspace", "--doc"]))?;
    }
    Ok(())
}

/// Everything, unless the caller chose crates: cargo lets `--workspace` win over `--package`.
fn scope(arguments: &[String]) -> Option<&'static str> {
    let chosen = arguments.iter().any(|it| it.starts_with("-p") || it.starts_with("--package"));
    (!chosen).then_some("--workspace")
}

/// Prints the benchmark table, all of it or the named rows; `actions` is the matrix of actions.
pub(crate) fn bench(names: &[String]) -> Result<()> {
    packages::want(&[Group::Desktop, Group::Fleet])?;
    interop::ensure()?;
    match names.split_first() {
        Some((first, rest)) if first == "actions" => release_program("soak", "actions", rest),
        Some(_) | None => release_program("bench", "bench", names),
    }
}

/// Runs a proof that is too long for every landing.
pub(crate) fn soak(names: &[String]) -> Result<()> {
    packages::want(&[Group::Desktop, Group::Fleet])?;
    release_program("soak", "soak", names)
}

/// Rewrites the golden files from what the product says now.
pub(crate) fn bless() -> Result<()> {
    unsafety::bless()?;
    if !Workspace::read()?.has_target("e2e", "golden") {
        println!("bless: there are no golden tests yet");
        return Ok(());
    }
    process::run(process::quiet_cargo("build").args(["--package", "deskhand-cli"]))?;
    process::run(process::quiet_cargo("test").args(GOLDEN).env("BLESS", "1"))
}

/// The words after `cargo test` that run the golden tests.
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
    fn chosen_crates_narrow_the_run() {
        let words = |line: &str| line.split(' ').map(str::to_owned).collect::<Vec<_>>();
        assert_eq!(scope(&[]), Some("--workspace"));
        assert_eq!(scope(&words("refs --no-capture")), Some("--workspace"));
        assert_eq!(scope(&words("-p deskhand-model")), None);
        assert_eq!(scope(&words("--package=e2e")), None);
    }
}
