//! Keys that are heard whoever has the keyboard.

use crate::Result;

/// A combination of keys that is listened for until this is dropped.
pub trait Hotkey: Send {
    /// Waits until it is pressed.
    ///
    /// # Errors
    ///
    /// `Broken` when the desktop is gone.
    fn wait(&mut self) -> Result<()>;
}
