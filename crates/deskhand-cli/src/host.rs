//! Selects the platform. No other module of the binary depends on the operating system.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use clap::ArgMatches;
use deskhand_engine::{CallFailure, Effect};
use deskhand_platform::{Desktop, Machine, Result};

use crate::{output::Output, settings};

pub(crate) use deskhand_platform::Folders;
pub(crate) use deskhand_sandbox::run_broker;

#[cfg(target_os = "linux")]
use deskhand_linux as platform;
#[cfg(target_os = "macos")]
use deskhand_macos as platform;

pub(crate) use platform::{disable_core_dumps, folders, refs_folder, register_hotkey};

#[cfg(target_os = "linux")]
#[path = "private/mod.rs"]
mod private;

/// The hidden command of the process that runs programs in a sandbox.
pub(crate) const BROKER: &str = "sandbox-broker";

/// Help for each of the user's folders, in the order of [`Folders`].
#[cfg(target_os = "linux")]
pub(crate) const FOLDER_HELP: [&str; 5] = [
    "Folder of config.toml, security.toml and approvals.toml (default: deskhand in XDG_CONFIG_HOME)",
    "Folder of the audit log (default: deskhand in XDG_DATA_HOME)",
    "Folder of remembered approvals (default: deskhand in XDG_STATE_HOME)",
    "Folder of logs and long command outputs (default: deskhand in XDG_CACHE_HOME)",
    "Folder of the halt state (default: in /run/user/UID, or in /tmp)",
];

#[cfg(target_os = "macos")]
pub(crate) const FOLDER_HELP: [&str; 5] = [
    "Folder of config.toml, security.toml and approvals.toml (default: deskhand in ~/Library/Application Support)",
    "Folder of the audit log (default: the folder of config.toml)",
    "Folder of remembered approvals (default: state in the folder of config.toml)",
    "Folder of logs and long command outputs (default: deskhand in ~/Library/Caches)",
    "Folder of the halt state (default: runtime in the folder of config.toml)",
];

/// Opens the desktop of this process. Programs started on it do not get secret variables.
pub(crate) fn open() -> Result<Desktop> {
    open_without(Vec::new())
}

/// Opens the desktop of this process. Programs started on it get neither secret variables nor these.
pub(crate) fn open_without(variables: Vec<String>) -> Result<Desktop> {
    let secrets = settings::secret_variables().into_iter().map(str::to_owned);
    platform::open_hiding_env(secrets.chain(variables).collect())
}

/// Returns the machine this process runs on.
pub(crate) fn machine() -> Arc<dyn Machine> {
    Arc::new(platform::LocalMachine::default())
}

/// Returns `true` if the environment names a display.
#[cfg(target_os = "linux")]
pub(crate) fn has_display() -> bool {
    ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}

/// Returns `true` if this process belongs to a session with a screen; over ssh it may not.
#[cfg(target_os = "macos")]
pub(crate) fn has_display() -> bool {
    platform::has_display()
}

/// Returns the folder in which desktop apps keep their settings.
#[cfg(target_os = "linux")]
pub(crate) fn app_settings(_home: &Path, config: &Path) -> PathBuf {
    config.to_owned()
}

#[cfg(target_os = "macos")]
pub(crate) fn app_settings(home: &Path, _config: &Path) -> PathBuf {
    home.join("Library/Application Support")
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

/// The process that owns the clipboard after a write.
pub(crate) struct ClipboardOwner {
    /// The hidden command of the process.
    pub(crate) command: &'static str,
    /// Owns the clipboard until another program takes it over.
    pub(crate) run: fn() -> Result<()>,
}

/// The clipboard owner, if this platform needs one.
#[cfg(target_os = "linux")]
pub(crate) const CLIPBOARD_OWNER: Option<ClipboardOwner> =
    Some(ClipboardOwner { command: platform::OWNER_PROCESS_ARG, run: platform::run_owner_process });

// On macOS the system stores the clipboard.
#[cfg(target_os = "macos")]
pub(crate) const CLIPBOARD_OWNER: Option<ClipboardOwner> = None;
