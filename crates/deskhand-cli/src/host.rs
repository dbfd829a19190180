//! The parts of the command line that depend on the operating system. The library selects the platform.

use std::{ffi::OsString, process::ExitCode};

use clap::ArgMatches;
use deskhand::settings;
use deskhand_engine::{CallFailure, Effect};
use deskhand_platform::{Desktop, Result};

use crate::output::Output;

pub(crate) use deskhand::host::{
    Folders, app_settings, disable_core_dumps, has_display, machine, refs_folder, register_hotkey,
};

#[cfg(target_os = "linux")]
#[path = "private/mod.rs"]
mod private;

/// Opens the desktop of this process. Programs started on it do not get secret variables.
pub(crate) fn open() -> Result<Desktop> {
    let secrets = settings::secret_variables().into_iter().map(str::to_owned);
    deskhand::host::open_hiding_env(secrets.collect())
}

/// Advice for when the desktop, or a part of it, is missing.
#[cfg(target_os = "linux")]
pub(crate) const NO_DESKTOP_HINT: &str =
    "run the command on a private desktop: `deskhand desktop run -- COMMAND`";

#[cfg(target_os = "macos")]
pub(crate) const NO_DESKTOP_HINT: &str =
    "run the command in the session of a user who is logged in at the screen, not over ssh or cron";

/// The result of a command.
type CommandResult = std::result::Result<ExitCode, CallFailure>;

/// Environment variables with their values.
type Variables<'a> = &'a [(String, OsString)];

/// Support for private desktops, which are headless and separate from the user's.
pub(crate) struct PrivateDesktops {
    /// Runs `deskhand desktop`.
    pub(crate) command: fn(&ArgMatches, Output) -> CommandResult,
    /// Runs this command line again on a new private desktop and returns its exit code. The arguments are
    /// the effect of the tool, if it is a tool's command, and variables to pass in addition to settings.
    pub(crate) run_again: fn(Option<Effect>, Variables<'_>) -> CommandResult,
}

/// Private desktops, if this platform has them.
#[cfg(target_os = "linux")]
pub(crate) const PRIVATE_DESKTOPS: Option<PrivateDesktops> = Some(PrivateDesktops {
    command: private::desktop::run,
    run_again: private::embedded::run_again,
});

// macOS has one window server per logged-in user, and programs cannot start another.
#[cfg(target_os = "macos")]
pub(crate) const PRIVATE_DESKTOPS: Option<PrivateDesktops> = None;
