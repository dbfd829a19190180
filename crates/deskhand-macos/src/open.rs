//! Opens the desktop of the session this process is in.

use std::{path::Path, sync::Arc};

use deskhand_platform::{Desktop, FolderChanges, Hotkey, Key, Machine, Process, Result};

pub use crate::ground::machine::has_display;
use crate::{
    clipboard::MacClipboard,
    ground::{self, machine::Local, pasteboard::General, window_list::WindowServer},
    machine::MacMachine,
    screen::MacScreen,
    window::MacWindows,
};

/// Opens the desktop.
///
/// # Errors
///
/// Never: what is not allowed, or not there, is told by the parts when they are used.
pub fn open() -> Result<Desktop> {
    open_without(Vec::new())
}

/// The same, where programs that are started do not see some variables.
///
/// # Errors
///
/// Never, as above.
pub fn open_without(secrets: Vec<String>) -> Result<Desktop> {
    let server = Arc::new(WindowServer);
    let windows = MacWindows::new(server.clone());
    Ok(Desktop {
        tree: ground::ax_tree::tree(),
        input: Some(ground::input(Arc::new(windows.clone()))),
        windows: Some(Box::new(windows)),
        screen: Some(Box::new(MacScreen::new(server))),
        clipboard: Some(Box::new(MacClipboard::new(Arc::new(General::default())))),
        programs: Some(Box::new(ground::programs(secrets))),
        identities: Some(ground::identities()),
        permissions: Some(ground::permission::permissions()),
        dictionaries: Some(ground::script::dictionaries()),
        reader: Some(ground::vision::reader()),
    })
}

/// Keys that are heard whoever has the keyboard.
///
/// # Errors
///
/// When another program listens for them, or there is no session to listen in.
pub fn hotkey(keys: &[Key]) -> Result<Box<dyn Hotkey>> {
    ground::hotkey::hotkey(keys)
}

/// The machine this process runs on.
pub struct LocalMachine(Box<dyn Machine>);

impl Default for LocalMachine {
    fn default() -> Self {
        Self(Box::new(MacMachine::new(ground::programs(Vec::new()), Local)))
    }
}

impl Machine for LocalMachine {
    fn this(&self) -> Result<Process> {
        self.0.this()
    }

    fn runs(&self, process: &Process) -> bool {
        self.0.runs(process)
    }

    fn desktop(&self) -> Option<String> {
        self.0.desktop()
    }

    fn kill(&self, process: &Process, desktop: Option<&str>) -> Result<()> {
        self.0.kill(process, desktop)
    }

    fn watch(&self, folder: &Path) -> Result<Box<dyn FolderChanges>> {
        self.0.watch(folder)
    }
}
