//! Opens the desktop of the login session that this process runs in.

use std::{path::Path, sync::Arc};

use deskhand_platform::{Desktop, FolderChanges, Hotkey, Key, Machine, ProcessId, Result};

pub use crate::ffi::machine::has_display;
use crate::{
    clipboard::MacClipboard,
    ffi::{self, machine::SystemMachine, pasteboard::GeneralPasteboard, window_list::WindowServer},
    machine::MacMachine,
    screen::MacScreen,
    window::MacWindows,
};

/// Opens the desktop.
///
/// # Errors
///
/// Never fails. A missing permission or display is reported when a part of the desktop is used.
pub fn open() -> Result<Desktop> {
    open_hiding_env(Vec::new())
}

/// Opens the desktop and hides these environment variables from programs that are started on it.
///
/// # Errors
///
/// Never fails, like [`open`].
pub fn open_hiding_env(hidden: Vec<String>) -> Result<Desktop> {
    let server = Arc::new(WindowServer);
    let windows = MacWindows::new(server.clone());
    let pasteboard = Arc::new(GeneralPasteboard::default());
    Ok(Desktop {
        tree: ffi::ax_tree::tree(),
        input: Some(ffi::input(Arc::new(windows.clone()))),
        windows: Some(Box::new(windows)),
        screen: Some(Box::new(MacScreen::new(server))),
        clipboard: Some(Box::new(MacClipboard::new(pasteboard))),
        programs: Some(Box::new(ffi::programs(hidden))),
        identities: Some(ffi::identities()),
        permissions: Some(ffi::permission::permissions()),
        dictionaries: Some(ffi::script::dictionaries()),
        text_recognizer: Some(ffi::vision::text_recognizer()),
    })
}

/// Registers a global hotkey, which works whichever app has the keyboard.
///
/// # Errors
///
/// Fails if another program has registered the keys, or if this is not the main thread.
pub fn register_hotkey(keys: &[Key]) -> Result<Box<dyn Hotkey>> {
    ffi::hotkey::register_hotkey(keys)
}

/// The machine that this process runs on.
pub struct LocalMachine(Box<dyn Machine>);

impl Default for LocalMachine {
    fn default() -> Self {
        Self(Box::new(MacMachine::new(ffi::programs(Vec::new()), SystemMachine)))
    }
}

impl Machine for LocalMachine {
    fn current_process(&self) -> Result<ProcessId> {
        self.0.current_process()
    }

    fn is_running(&self, process: &ProcessId) -> bool {
        self.0.is_running(process)
    }

    fn desktop_id(&self) -> Option<String> {
        self.0.desktop_id()
    }

    fn kill(&self, process: &ProcessId, desktop: Option<&str>) -> Result<()> {
        self.0.kill(process, desktop)
    }

    fn release_input(&self, desktop: &str) -> Result<()> {
        self.0.release_input(desktop)
    }

    fn watch_folder(&self, folder: &Path) -> Result<Box<dyn FolderChanges>> {
        self.0.watch_folder(folder)
    }
}
