//! The one place that knows which platform this is.

use std::{
    ffi::OsString,
    path::{Path, PathBuf},
    process::ExitCode,
    sync::Arc,
};

use clap::ArgMatches;
use deskhand_engine::{Effect, Failure};
use deskhand_platform::{Desktop, Machine, Result};

use crate::{output::Output, settings};

pub(crate) use deskhand_platform::Folders;
pub(crate) use deskhand_sandbox::broker;

#[cfg(target_os = "linux")]
use deskhand_linux as platform;
#[cfg(target_os = "macos")]
use deskhand_macos as platform;

pub(crate) use platform::{folders, hotkey, keep_memory, refs_folder};

#[cfg(target_os = "linux")]
#[path = "private/mod.rs"]
mod private;

/// The hidden command this program starts itself with to run programs in a sandbox.
pub(crate) const BROKER: &str = "sandbox-broker";

/// What the folders of a person are for, and where they usually are, in the order of [`Folders`].
#[cfg(target_os = "linux")]
pub(crate) const FOLDERS: [&str; 5] = [
    "Where config.toml, security.toml and approvals.toml are; deskhand in XDG_CONFIG_HOME",
    "Where the audit log is; deskhand in XDG_DATA_HOME",
    "Where approvals are remembered; deskhand in XDG_STATE_HOME",
    "Where logs and long outputs of commands are; deskhand in XDG_CACHE_HOME",
    "Where the halt is told; in /run/user/UID, or in /tmp",
];

#[cfg(target_os = "macos")]
pub(crate) const FOLDERS: [&str; 5] = [
    "Where config.toml, security.toml and approvals.toml are; deskhand in ~/Library/Application Support",
    "Where the audit log is; in the folder of config.toml",
    "Where approvals are remembered; state in the folder of config.toml",
    "Where logs and long outputs of commands are; deskhand in ~/Library/Caches",
    "Where the halt is told; runtime in the folder of config.toml",
];

/// Opens the desktop this process runs on; programs started on it do not see the secrets.
pub(crate) fn open() -> Result<Desktop> {
    open_without(Vec::new())
}

/// The same; programs do not see these variables either.
pub(crate) fn open_without(more: Vec<String>) -> Result<Desktop> {
    let secrets = settings::secrets().into_iter().map(str::to_owned);
    platform::open_without(secrets.chain(more).collect())
}

/// The machine this process runs on.
pub(crate) fn machine() -> Arc<dyn Machine> {
    Arc::new(platform::LocalMachine::default())
}

/// Whether the environment names a desktop at all.
#[cfg(target_os = "linux")]
pub(crate) fn has_display() -> bool {
    ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}

/// Whether this process belongs to a session with a screen: one that came by ssh need not.
#[cfg(target_os = "macos")]
pub(crate) fn has_display() -> bool {
    platform::has_display()
}

/// The folder that apps with windows keep their settings in.
#[cfg(target_os = "linux")]
pub(crate) fn app_settings(_home: &Path, config: &Path) -> PathBuf {
    config.to_owned()
}

#[cfg(target_os = "macos")]
pub(crate) fn app_settings(home: &Path, _config: &Path) -> PathBuf {
    home.join("Library/Application Support")
}

/// What to do where a part of the desktop is not there.
#[cfg(target_os = "linux")]
pub(crate) const ELSEWHERE: &str = "`deskhand desktop run -- CMD` gives CMD a desktop of its own";

#[cfg(target_os = "macos")]
pub(crate) const ELSEWHERE: &str =
    "run it in the session of a person who is logged in at the screen, not by ssh or cron";

/// What a command came to.
type Outcome = std::result::Result<ExitCode, Failure>;

/// Names and values.
type Variables<'a> = &'a [(String, OsString)];

/// Desktops that nobody sees and nothing of the person's is on.
pub(crate) struct Private {
    /// Answers `deskhand desktop`.
    pub(crate) command: fn(&ArgMatches, Output) -> Outcome,
    /// Runs this very command again on a fresh one and returns its exit code; told is what it does, when
    /// it is a tool's, and the variables it needs beside those of settings.
    pub(crate) run_again: fn(Option<Effect>, Variables<'_>) -> Outcome,
}

/// Private desktops, where this platform has them.
#[cfg(target_os = "linux")]
pub(crate) const PRIVATE: Option<Private> =
    Some(Private { command: private::desktop::run, run_again: private::embedded::run_again });

// A Mac has one window server for each person who is logged in, and no program can start another.
#[cfg(target_os = "macos")]
pub(crate) const PRIVATE: Option<Private> = None;

/// The process that owns the clipboard after a write.
pub(crate) struct Keeper {
    /// The hidden command this program starts itself with to be one.
    pub(crate) word: &'static str,
    /// Owns the clipboard until another program does.
    pub(crate) keep: fn() -> Result<()>,
}

/// The keeper of the clipboard, where one is needed.
#[cfg(target_os = "linux")]
pub(crate) const KEEPER: Option<Keeper> =
    Some(Keeper { word: platform::KEEPER, keep: platform::keep_clipboard });

// The system itself keeps what was copied.
#[cfg(target_os = "macos")]
pub(crate) const KEEPER: Option<Keeper> = None;
