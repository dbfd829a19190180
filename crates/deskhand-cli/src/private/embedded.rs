//! Runs a command on a new private desktop if there is no display.

use std::{
    ffi::OsString,
    process::{Command, ExitCode},
};

use deskhand_engine::{CallFailure, Effect};

use deskhand_linux::private;

use super::{
    desktop,
    environment::{PassedVariables, variables},
};
use crate::output;

/// Runs this command line again on a new private desktop and returns its exit code. `effect` is the
/// effect of the tool, if it is a tool's command; `more` are variables to pass in addition to settings.
pub(crate) fn run_again(
    effect: Option<Effect>,
    more: &[(String, OsString)],
) -> Result<ExitCode, CallFailure> {
    let prepared = prepare().map_err(|failure| match effect {
        Some(effect) => failure.before_run(effect),
        None => failure,
    });
    let (desktop, command) = prepared?;
    // The command is this program itself, so it gets the secrets too.
    let mut passed: Vec<(&str, OsString)> = variables(PassedVariables::All);
    passed.extend(more.iter().map(|(name, value)| (name.as_str(), value.clone())));
    desktop::supervise(desktop, command, &passed)
}

fn prepare() -> Result<(private::ScopedDesktop, Command), CallFailure> {
    let desktop = private::ScopedDesktop::up(&private::DesktopOptions::default())?;
    output::print_note(&format!(
        "no display is set: using a private desktop ({}), which is removed when this command ends",
        desktop.display
    ));
    let program = std::env::current_exe().map_err(|error| CallFailure {
        code: "internal".to_owned(),
        message: format!("cannot find the path of this program: {error}"),
        hint: None,
        delivery: None,
        retry_after_ms: None,
    })?;
    let mut command = Command::new(program);
    command.args(std::env::args_os().skip(1));
    Ok((desktop, command))
}
