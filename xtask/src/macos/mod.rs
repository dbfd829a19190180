//! `check-macos`: types and lints of the whole workspace for Apple's systems, where there is no Mac.
//!
//! Nothing is linked or run, so neither Apple's SDK nor its linker is needed: a compiler with the standard
//! library of the target is enough. Where the installed one has none, Debian's is unpacked and its library
//! is built from its sources, once.

mod cache;
mod compiler;
mod library;
mod stand_in;

use std::io::IsTerminal;
use std::path::Path;
use std::process::Command;
use std::time::Instant;

use crate::error::Result;
use crate::process;

/// What Macs there are.
pub(crate) const TARGETS: [&str; 2] = ["aarch64-apple-darwin", "x86_64-apple-darwin"];

/// What is of Linux as a whole: the backend, which the first line of its only module empties everywhere
/// else, and the two packages that drive it. What they reach of the product is checked without them.
const LINUX_ONLY: [&str; 6] = ["bench", "deskhand-linux", "e2e", "fuzz", "harness", "soak"];

/// Checks the workspace for these targets; all when none is named. What is wrong goes to the reader.
pub(crate) fn run(chosen: &[String]) -> Result<()> {
    for mut command in commands(chosen)? {
        println!("check-macos: {}", shown(&command));
        let start = Instant::now();
        process::run(&mut command)?;
        println!("check-macos: done in {:.0} s", start.elapsed().as_secs_f32());
    }
    Ok(())
}

/// The commands that check, the compiler for them made ready.
fn commands(chosen: &[String]) -> Result<[Command; 2]> {
    let targets: Vec<&str> = TARGETS
        .into_iter()
        .filter(|target| chosen.is_empty() || chosen.iter().any(|one| one == target))
        .collect();
    let cache = cache::folder()?;
    let compiler = compiler::ready(&targets, &cache)?;
    let tools = stand_in::write(&cache.join("stand-ins"))?;
    let prepared = |subcommand: &str, more: &[&str]| {
        let mut command = compiler.cargo(subcommand);
        if !std::io::stderr().is_terminal() {
            command.arg("--quiet");
        }
        command.args(arguments(&targets, &process::root())).args(more);
        command.envs(SPARING).envs(tools.variables(&targets));
        command
    };
    // Lints come with the types of everything, tests too; this comes first because a fault in the types
    // alone is told in half the time, and of it nothing is built twice but our own crates.
    Ok([prepared("check", &[]), prepared("clippy", &["--all-targets", "--", "-D", "warnings"])])
}

/// Nobody debugs what is only checked.
const SPARING: [(&str, &str); 2] =
    [("CARGO_PROFILE_DEV_DEBUG", "0"), ("CARGO_PROFILE_DEV_BUILD_OVERRIDE_DEBUG", "0")];

/// What cargo is told besides what to do: everything for all targets at once, in a folder of its own, as
/// another compiler would throw away what the usual one has built.
fn arguments(targets: &[&str], root: &Path) -> Vec<String> {
    let mut words = vec!["--workspace".to_owned()];
    words.extend(LINUX_ONLY.iter().map(|package| format!("--exclude={package}")));
    words.extend(targets.iter().map(|target| format!("--target={target}")));
    words.push(format!("--target-dir={}", root.join("target/macos").display()));
    words
}

/// The command without what is the same for everybody.
fn shown(command: &Command) -> String {
    let line = process::line(command);
    let words = line.split(' ').filter(|word| !word.starts_with("--target-dir="));
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_call_of_cargo_serves_every_target() {
        let words = arguments(&TARGETS, Path::new("/repo"));
        assert_eq!(words.iter().filter(|word| word.starts_with("--target=")).count(), 2);
        assert!(words.contains(&"--target-dir=/repo/target/macos".to_owned()));
        assert!(words.contains(&"--exclude=deskhand-linux".to_owned()), "{words:?}");
    }

    #[test]
    fn what_is_told_names_no_folder_of_this_machine() {
        let mut command = Command::new("/somewhere/bin/cargo");
        command.arg("check").args(arguments(&TARGETS[..1], Path::new("/repo")));
        let line = shown(&command);
        assert!(line.starts_with("cargo check --workspace") && !line.contains('/'), "{line}");
    }
}
