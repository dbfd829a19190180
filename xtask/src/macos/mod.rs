//! `check-macos`: type-checks and lints the workspace for Apple targets on other systems.
//!
//! Nothing is linked or run, so neither Apple's SDK nor its linker is needed: a compiler with the standard
//! library of the target is enough. If the installed toolchain has none, Debian's compiler is unpacked and its
//! library is built from source, once.

mod cache;
mod compiler;
mod library;
mod stub_tools;

use std::io::IsTerminal;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::error::Result;
use crate::process;

/// The Apple targets.
pub(crate) const TARGETS: [&str; 2] = ["aarch64-apple-darwin", "x86_64-apple-darwin"];

/// Packages that are only for Linux: the backend, which is empty on other systems, and the test packages.
const LINUX_ONLY: [&str; 6] = ["bench", "deskhand-linux", "e2e", "fuzz", "harness", "soak"];

/// Checks the workspace for these targets, or for all targets if none is named. cargo prints the errors.
pub(crate) fn run(chosen: &[String]) -> Result<()> {
    for mut command in commands(chosen)? {
        println!("check-macos: {}", display(&command));
        let start = Instant::now();
        process::run(&mut command)?;
        println!("check-macos: done in {:.0} s", start.elapsed().as_secs_f32());
    }
    Ok(())
}

/// Prepares a compiler, and returns the commands to run.
fn commands(chosen: &[String]) -> Result<[Command; 2]> {
    let targets: Vec<&str> = TARGETS
        .into_iter()
        .filter(|target| chosen.is_empty() || chosen.iter().any(|one| one == target))
        .collect();
    let cache = cache::folder()?;
    let compiler = compiler::prepare(&targets, &cache)?;
    let tools = stub_tools::write(&cache.join("stand-ins"))?;
    let prepared = |subcommand: &str, more: &[&str]| {
        let mut command = compiler.cargo(subcommand);
        if !std::io::stderr().is_terminal() {
            command.arg("--quiet");
        }
        command.args(arguments(&targets, &process::root())).args(more);
        command.envs(NO_DEBUG_INFO).envs(tools.variables(&targets));
        command
    };
    // clippy checks the types too. `check` runs first, because it finds type errors in half the time;
    // only the crates of the workspace are built twice.
    Ok([prepared("check", &[]), prepared("clippy", &["--all-targets", "--", "-D", "warnings"])])
}

/// Turns off debug information, which a check does not need.
const NO_DEBUG_INFO: [(&str, &str); 2] =
    [("CARGO_PROFILE_DEV_DEBUG", "0"), ("CARGO_PROFILE_DEV_BUILD_OVERRIDE_DEBUG", "0")];

/// Returns the arguments of cargo: all packages for all targets, in a separate target folder, because
/// another compiler would invalidate the usual one.
fn arguments(targets: &[&str], root: &Path) -> Vec<String> {
    let mut arguments = vec!["--workspace".to_owned()];
    arguments.extend(LINUX_ONLY.iter().map(|package| format!("--exclude={package}")));
    arguments.extend(targets.iter().map(|target| format!("--target={target}")));
    arguments.push(format!("--target-dir={}", root.join("target/macos").display()));
    arguments
}

/// Returns a command without the path of the target folder.
fn display(command: &Command) -> String {
    let line = process::command_line(command);
    let words = line.split(' ').filter(|word| !word.starts_with("--target-dir="));
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_command_checks_all_targets() {
        let words = arguments(&TARGETS, Path::new("/repo"));
        assert_eq!(words.iter().filter(|word| word.starts_with("--target=")).count(), 2);
        assert!(words.contains(&"--target-dir=/repo/target/macos".to_owned()));
        assert!(words.contains(&"--exclude=deskhand-linux".to_owned()), "{words:?}");
    }

    #[test]
    fn displayed_commands_contain_no_paths() {
        let mut command = Command::new("/somewhere/bin/cargo");
        command.arg("check").args(arguments(&TARGETS[..1], Path::new("/repo")));
        let line = display(&command);
        assert!(line.starts_with("cargo check --workspace") && !line.contains('/'), "{line}");
    }
}
