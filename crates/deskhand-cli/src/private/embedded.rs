//! The embedded default: where there is no display, the command gets a desktop of its own.

use std::{
    ffi::OsString,
    process::{Command, ExitCode},
};

use deskhand_engine::{Effect, Failure};

use deskhand_linux::private;

use super::{
    desktop,
    handed::{Handed, variables},
};
use crate::output;

/// Runs this very command again on a fresh private desktop and returns its exit code; `effect` is
/// what it does, when it is a tool's, and `more` are variables it needs beside those of settings.
pub(crate) fn run_again(
    effect: Option<Effect>,
    more: &[(String, OsString)],
) -> Result<ExitCode, Failure> {
    let prepared = prepare().map_err(|failure| match effect {
        Some(effect) => failure.before(effect),
        None => failure,
    });
    let (desktop, command) = prepared?;
    // It is this very program, so it may have the secrets among them.
    let mut handed: Vec<(&str, OsString)> = variables(Handed::All);
    handed.extend(more.iter().map(|(name, value)| (name.as_str(), value.clone())));
    desktop::supervise(desktop, command, &handed)
}

fn prepare() -> Result<(private::Guard, Command), Failure> {
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
        retry_after_ms: None,
    })?;
    let mut command = Command::new(program);
    command.args(std::env::args_os().skip(1));
    Ok((desktop, command))
}
