//! Global hotkeys.

use crate::Result;

/// A registered global hotkey. Dropping it unregisters the key combination.
pub trait Hotkey: Send {
    /// Waits until the hotkey is pressed.
    ///
    /// # Errors
    ///
    /// `Disconnected` if the connection to the desktop is lost.
    fn wait(&mut self) -> Result<()>;
}
