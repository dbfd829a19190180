//! Runs other programs, with errors that contain the command line.

use std::io::IsTerminal;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use crate::error::{Error, Result};

/// The output of a program, and its success.
pub(crate) struct Captured {
    pub(crate) ok: bool,
    pub(crate) stdout: String,
    pub(crate) stderr: String,
}

/// Runs a program whose output is printed. A failing exit code is an error.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().map_err(|source| not_started(command, source))?;
    if status.success() {
        return Ok(());
    }
    Err(Error::Failed { command: command_line(command), reason: status.to_string() })
}

/// Runs a program and returns its output and success.
pub(crate) fn capture(command: &mut Command) -> Result<Captured> {
    let output =
        command.stdin(Stdio::null()).output().map_err(|source| not_started(command, source))?;
    Ok(Captured {
        ok: output.status.success(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    })
}

/// Runs a program that must succeed, and returns its output.
pub(crate) fn output(command: &mut Command) -> Result<String> {
    let captured = capture(command)?;
    if captured.ok {
        return Ok(captured.stdout);
    }
    Err(Error::Failed { command: command_line(command), reason: captured.stderr.trim().to_owned() })
}

/// Returns `true` if a program is on PATH.
pub(crate) fn is_on_path(program: &str) -> bool {
    find(program).is_some()
}

/// Returns the path of a program on PATH.
pub(crate) fn find(program: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    std::env::split_paths(&path).map(|folder| folder.join(program)).find(|file| file.is_file())
}

/// Returns a cargo command in the root of the workspace.
pub(crate) fn cargo() -> Command {
    let mut command = Command::new(std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root());
    command
}

/// Returns a cargo command that prints its progress only on a terminal.
pub(crate) fn quiet_cargo(subcommand: &str) -> Command {
    let mut command = cargo();
    command.arg(subcommand);
    if !std::io::stderr().is_terminal() {
        command.arg("--quiet");
    }
    command
}

/// Returns the root of the workspace.
pub(crate) fn root() -> PathBuf {
    let xtask = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    match xtask.as_deref().and_then(std::path::Path::parent) {
        Some(root) => root.to_path_buf(),
        // The program was started without cargo.
        None => std::env::current_dir().unwrap_or_else(|_| PathBuf::from(".")),
    }
}

/// Returns the path of a program that `cargo build` has put next to this one.
pub(crate) fn built_program(program: &str) -> Result<PathBuf> {
    let own = std::env::current_exe().map_err(Error::file(program))?;
    let path = own.with_file_name(program);
    std::fs::metadata(&path).map_err(Error::file(&path))?;
    Ok(path)
}

/// Returns a command as it is typed in a shell.
pub(crate) fn command_line(command: &Command) -> String {
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
    fn a_failure_contains_the_command_line() {
        let error = run(Command::new("sh").args(["-c", "exit 3"])).unwrap_err();
        assert_eq!(error.to_string(), "`sh -c exit 3` failed: exit status: 3");
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = run(&mut Command::new("no-such-program-here")).unwrap_err();
        assert!(error.to_string().contains("no-such-program-here"), "{error}");
        assert!(error.hint().is_some());
    }

    #[test]
    fn a_captured_failure_contains_standard_error() {
        let error = output(Command::new("sh").args(["-c", "echo why >&2; false"])).unwrap_err();
        assert!(error.to_string().ends_with("failed: why"), "{error}");
    }

    #[test]
    fn the_root_has_the_workspace_manifest() {
        let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
        assert!(manifest.contains("[workspace]"));
    }
}
