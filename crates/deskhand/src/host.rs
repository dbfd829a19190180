//! Selects the platform. The binary `deskhand` uses this module too; it is not part of the stable
//! interface of the library.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use deskhand_platform::{Desktop, Machine, Result};

pub use deskhand_platform::Folders;
pub use deskhand_sandbox::run_broker;

#[cfg(target_os = "linux")]
use deskhand_linux as platform;
#[cfg(target_os = "macos")]
use deskhand_macos as platform;

#[cfg(target_os = "linux")]
pub use deskhand_linux::private::ScopedDesktop as PrivateDesktop;
pub use platform::{disable_core_dumps, folders, open_hiding_env, refs_folder, register_hotkey};

use crate::Error;

/// The hidden argument of the process that runs programs in a sandbox.
pub const BROKER: &str = "sandbox-broker";

/// Help for each of the user's folders, in the order of [`Folders`].
#[cfg(target_os = "linux")]
pub const FOLDER_HELP: [&str; 5] = [
    "Folder of config.toml, security.toml and approvals.toml (default: deskhand in XDG_CONFIG_HOME)",
    "Folder of the audit log (default: deskhand in XDG_DATA_HOME)",
    "Folder of remembered approvals (default: deskhand in XDG_STATE_HOME)",
    "Folder of logs and long command outputs (default: deskhand in XDG_CACHE_HOME)",
    "Folder of the halt state (default: in /run/user/UID, or in /tmp)",
];

/// Help for each of the user's folders, in the order of [`Folders`].
#[cfg(target_os = "macos")]
pub const FOLDER_HELP: [&str; 5] = [
    "Folder of config.toml, security.toml and approvals.toml (default: deskhand in ~/Library/Application Support)",
    "Folder of the audit log (default: the folder of config.toml)",
    "Folder of remembered approvals (default: state in the folder of config.toml)",
    "Folder of logs and long command outputs (default: deskhand in ~/Library/Caches)",
    "Folder of the halt state (default: runtime in the folder of config.toml)",
];

/// Returns the machine this process runs on.
pub fn machine() -> Arc<dyn Machine> {
    Arc::new(platform::LocalMachine::default())
}

/// Returns `true` if the environment names a display.
#[cfg(target_os = "linux")]
pub fn has_display() -> bool {
    ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}

/// Returns `true` if this process belongs to a session with a screen; over ssh it may not.
#[cfg(target_os = "macos")]
pub fn has_display() -> bool {
    platform::has_display()
}

/// Returns the folder in which desktop apps keep their settings.
#[cfg(target_os = "linux")]
pub fn app_settings(_home: &Path, config: &Path) -> PathBuf {
    config.to_owned()
}

/// Returns the folder in which desktop apps keep their settings.
#[cfg(target_os = "macos")]
pub fn app_settings(home: &Path, _config: &Path) -> PathBuf {
    home.join("Library/Application Support")
}

/// The process that owns the clipboard after a write.
pub struct ClipboardOwner {
    /// The hidden argument of the process.
    pub argument: &'static str,
    /// Owns the clipboard until another program takes it over.
    pub run: fn() -> Result<()>,
}

/// The clipboard owner, if this platform needs one.
#[cfg(target_os = "linux")]
pub const CLIPBOARD_OWNER: Option<ClipboardOwner> = Some(ClipboardOwner {
    argument: platform::OWNER_PROCESS_ARG,
    run: platform::run_owner_process,
});

/// The clipboard owner, if this platform needs one. On macOS the system stores the clipboard.
#[cfg(target_os = "macos")]
pub const CLIPBOARD_OWNER: Option<ClipboardOwner> = None;

/// An open desktop and the files and processes that belong to it.
pub(crate) struct OpenedDesktop {
    /// The desktop.
    pub(crate) desktop: Desktop,
    /// The folder for element refs.
    pub(crate) refs: PathBuf,
    /// The machine, for the halt.
    pub(crate) machine: Arc<dyn Machine>,
}

/// Tells if this program can run its helper processes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum HelperProcesses {
    /// `main` calls [`crate::run_helper_process_if_requested`].
    Available,
    /// `main` does not call it.
    Unavailable,
}

/// Opens a private desktop, or the desktop of this process.
#[cfg(target_os = "linux")]
pub(crate) fn open(
    private: Option<&PrivateDesktop>,
    hidden_variables: Vec<String>,
    helpers: HelperProcesses,
) -> Result<OpenedDesktop> {
    use deskhand_linux::{OpenOptions, OwnerProcess, SessionEnv};

    let env = match private {
        Some(desktop) => SessionEnv::of_desktop(desktop),
        None => SessionEnv::of_process(),
    };
    let owner_process = match helpers {
        HelperProcesses::Available => OwnerProcess::ThisProgram,
        HelperProcesses::Unavailable => OwnerProcess::Unavailable,
    };
    let refs = deskhand_linux::refs_folder_of(&env)?;
    let machine = Arc::new(deskhand_linux::LocalMachine::new(env.clone()));
    let options = OpenOptions { env, hidden_variables, owner_process };
    Ok(OpenedDesktop { desktop: deskhand_linux::open_with(options)?, refs, machine })
}

/// Opens the desktop of this process. There are no private ones.
#[cfg(target_os = "macos")]
pub(crate) fn open(
    _private: Option<&PrivateDesktop>,
    hidden_variables: Vec<String>,
    _helpers: HelperProcesses,
) -> Result<OpenedDesktop> {
    let desktop = open_hiding_env(hidden_variables)?;
    Ok(OpenedDesktop { desktop, refs: refs_folder()?, machine: machine() })
}

/// Starts a private desktop with a screen of this size in pixels.
#[cfg(target_os = "linux")]
pub(crate) fn start_private(
    size: Option<(u32, u32)>,
) -> std::result::Result<PrivateDesktop, Error> {
    use deskhand_linux::private::{DesktopOptions, Size};

    let mut options = DesktopOptions::default();
    if let Some((width, height)) = size {
        options.displays = vec![Size { width, height }];
    }
    PrivateDesktop::up(&options).map_err(Error::from_explained)
}

/// Stops a private desktop and reports errors.
#[cfg(target_os = "linux")]
pub(crate) fn stop_private(desktop: PrivateDesktop) -> std::result::Result<(), Error> {
    desktop.down().map_err(Error::from_explained)
}

/// A private desktop. macOS has none: it has one window server per logged-in user, and programs
/// cannot start another.
#[cfg(target_os = "macos")]
#[derive(Debug)]
pub enum PrivateDesktop {}

/// Returns an error, because this platform has no private desktops.
#[cfg(target_os = "macos")]
pub(crate) fn start_private(_: Option<(u32, u32)>) -> std::result::Result<PrivateDesktop, Error> {
    Err(Error::new(
        "unsupported",
        "this system has no private desktops",
        "open the desktop of this process with `Session::open`",
    ))
}

/// Stops a private desktop and reports errors.
#[cfg(target_os = "macos")]
pub(crate) fn stop_private(desktop: PrivateDesktop) -> std::result::Result<(), Error> {
    match desktop {}
}
