//! The embedded default: where there is no display, the command gets a desktop of its own.

use std::process::{Command, ExitCode};

use deskhand_engine::Failure;

use crate::{desktop, host::private, output};

/// Runs this very command again on a fresh private desktop and returns its exit code.
pub(crate) fn run_again() -> Result<ExitCode, Failure> {
    let desktop = private::Guard::up(&private::Options::default())?;
    output::remark(&format!(
        "no display is set: using a private desktop ({}), taken down when this command ends",
        desktop.display
    ));
    let program = std::env::current_exe().map_err(|error| Failure {
        code: "internal".to_owned(),
        message: format!("this program cannot be found: {error}"),
        hint: None,
        delivery: None,
    })?;
    let mut command = Command::new(program);
    command.args(std::env::args_os().skip(1));
    desktop::supervise(desktop, command)
}
