//! The one place that knows which platform this is.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use deskhand_platform::{Desktop, Hotkey, Key, Machine, Result};

use crate::settings;

#[cfg(target_os = "linux")]
pub(crate) use deskhand_linux::{Folders, KEEPER, keep_clipboard, keep_memory, private};
#[cfg(target_os = "linux")]
pub(crate) use deskhand_sandbox::broker;

/// The hidden command this program starts itself with to run programs in a sandbox.
pub(crate) const BROKER: &str = "sandbox-broker";

/// Opens the desktop this process runs on; programs started on it do not see the secrets.
#[cfg(target_os = "linux")]
pub(crate) fn open() -> Result<Desktop> {
    open_without(Vec::new())
}

/// The same; programs do not see these variables either.
#[cfg(target_os = "linux")]
pub(crate) fn open_without(more: Vec<String>) -> Result<Desktop> {
    let secrets = settings::secrets().into_iter().map(str::to_owned);
    deskhand_linux::open_without(secrets.chain(more).collect())
}

/// The machine this process runs on.
#[cfg(target_os = "linux")]
pub(crate) fn machine() -> Arc<dyn Machine> {
    Arc::new(deskhand_linux::LocalMachine::default())
}

/// Keys that are heard whoever has the keyboard.
#[cfg(target_os = "linux")]
pub(crate) fn hotkey(keys: &[Key]) -> Result<Box<dyn Hotkey>> {
    deskhand_linux::hotkey(keys)
}

/// Whether the environment names a desktop at all.
#[cfg(target_os = "linux")]
pub(crate) fn has_display() -> bool {
    ["DISPLAY", "WAYLAND_DISPLAY"]
        .iter()
        .any(|name| std::env::var_os(name).is_some_and(|value| !value.is_empty()))
}

/// The folder refs are kept in between commands.
#[cfg(target_os = "linux")]
pub(crate) fn refs_folder() -> Result<PathBuf> {
    deskhand_linux::refs_folder()
}

/// The folder that apps with windows keep their settings in.
#[cfg(target_os = "linux")]
pub(crate) fn app_settings(_home: &Path, config: &Path) -> PathBuf {
    config.to_owned()
}
