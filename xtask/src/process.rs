//! Running other programs: shown or captured, with errors that name the command line.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::error::{Error, Result};

/// What a captured program printed, and whether it was content.
pub(crate) struct Captured {
    pub(crate) ok: bool,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs a program whose output goes straight to the reader; a failing exit code is an error.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().map_err(|source| not_started(command, source))?;
    if status.success() {
        return Ok(());
    }
    Err(Error::Failed { command: line(command), how: status.to_string() })
}

/// Runs a program and keeps what it printed; a failing exit code is the caller's to judge.
pub(crate) fn capture(command: &mut Command) -> Result<Captured> {
    let output =
        command.stdin(Stdio::null()).output().map_err(|source| not_started(command, source))?;
    Ok(Captured {
        ok: output.status.success(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

/// Captures a program that must succeed.
pub(crate) fn answer(command: &mut Command) -> Result<String> {
    let captured = capture(command)?;
    if captured.ok {
        return Ok(captured.stdout);
    }
    Err(Error::Failed { command: line(command), how: captured.stderr.trim().to_owned() })
}

/// Whether a program of this name is on PATH.
pub(crate) fn on_path(program: &str) -> bool {
    find(program).is_some()
}

/// The program of this name on PATH.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Cargo, started at the root of the workspace.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// The same, silent about its progress where nobody watches.
pub(crate) fn quiet_cargo(subcommand: &str) -> Command {
    let mut command = cargo();
    command.arg(subcommand);
    if !std::io::stderr().is_terminal() {
        command.arg("--quiet");
    }
    command
}

/// The root of the workspace.
pub(crate) fn root() -> PathBuf {
    let xtask = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    match xtask.as_deref().and_then(std::path::Path::parent) {
        Some(root) => root.to_path_buf(),
        None => PathBuf::from("."),
    }
}

/// A program that a plain `cargo build` of this workspace leaves next to this one.
pub(crate) fn built(program: &str) -> Result<PathBuf> {
    let own = std::env::current_exe().map_err(Error::file(program))?;
    let path = own.with_file_name(program);
    std::fs::metadata(&path).map_err(Error::file(&path))?;
    Ok(path)
}

/// A command as a reader would type it.
pub(crate) fn line(command: &Command) -> String {
    let program = PathBuf::from(command.get_program());
    let program = program.file_name().unwrap_or(command.get_program());
    std::iter::once(program)
        .chain(command.get_args())
        .map(|word| word.to_string_lossy())
        .collect::<Vec<_>>()
        .join(" ")
}

fn not_started(command: &Command, source: std::io::Error) -> Error {
    Error::Start { program: command.get_program().to_string_lossy().into_owned(), source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failure_names_the_command_line() {
        let error = run(Command::new("sh").args(["-c", "exit 3"])).unwrap_err();
        assert_eq!(error.to_string(), "`sh -c exit 3` failed: exit status: 3");
    }

    #[test]
    fn missing_program_is_named() {
        let error = run(&mut Command::new("no-such-program-here")).unwrap_err();
        assert!(error.to_string().contains("no-such-program-here"), "{error}");
        assert!(error.hint().is_some());
    }

    #[test]
    fn captured_failure_carries_what_was_said() {
        let error = answer(Command::new("sh").args(["-c", "echo why >&2; false"])).unwrap_err();
        assert!(error.to_string().ends_with("failed: why"), "{error}");
    }

    #[test]
    fn root_holds_the_workspace_manifest() {
        let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
        assert!(manifest.contains("[workspace]"));
    }
}
