//! Pointer and keyboard, as if a person used them.

use std::{sync::Arc, time::Duration};

use crate::{Deadline, Guard, Result};

/// Sends real input. Where it goes is decided by the desktop: to what lies under the pointer, to
/// what has the keyboard. While the screen is locked everything but letting go is refused as `Locked`.
pub trait Input: Send + Sync {
    /// Whether real input can be sent now.
    ///
    /// # Errors
    ///
    /// `Locked` while it would go to a screen locker.
    fn ready(&self, by: Deadline) -> Result<()>;

    /// From now on asks for leave before anything is sent, in the same moment; letting go needs none.
    fn guard(&mut self, guard: Arc<dyn Guard>);

    /// Where the pointer is.
    fn pointer(&self, by: Deadline) -> Result<(i32, i32)>;

    /// Moves the pointer at once.
    fn move_to(&self, x: i32, y: i32, by: Deadline) -> Result<()>;

    /// Presses or releases a pointer button.
    fn button(&self, button: Button, press: Press, by: Deadline) -> Result<()>;

    /// Whether a pointer button is down.
    fn is_down(&self, button: Button, by: Deadline) -> Result<bool>;

    /// Turns the wheel by notches; positive is down and to the right.
    fn wheel(&self, right: i32, down: i32, by: Deadline) -> Result<()>;

    /// Presses or releases a key.
    fn key(&self, key: &Key, press: Press, by: Deadline) -> Result<()>;

    /// Types text, whatever layout the keyboard has, with a pause after each character. A line end
    /// is the Return key, a tab the Tab key.
    ///
    /// # Errors
    ///
    /// `Unsupported` when it cannot be typed, as with control characters: nothing was sent then.
    /// `Timeout` when the app did not read its keys in time: a part may have been sent.
    fn write(&self, text: &str, pause: Duration, by: Deadline) -> Result<()>;

    /// Stops what is being sent at this moment, and lets go of every key and button that is down
    /// because of us; a button goes up where it went down, so that nothing is dropped elsewhere.
    fn let_go(&self, by: Deadline) -> Result<()>;

    /// Input for one window only that leaves the focus, the pointer and the order of windows to the
    /// person at the desk.
    ///
    /// # Errors
    ///
    /// `Unsupported` where the window system has no such thing, or somebody would be disturbed now.
    fn aside(&self, window: u64, by: Deadline) -> Result<Box<dyn Aside>>;
}

/// A keyboard of our own whose keys go to one window, whoever has the focus.
pub trait Aside: Send {
    /// Presses or releases a key.
    fn key(&mut self, key: &Key, press: Press, by: Deadline) -> Result<()>;

    /// Types text, with a pause after each character.
    fn write(&mut self, text: &str, pause: Duration, by: Deadline) -> Result<()>;
}

/// Down or up.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Press {
    /// Down.
    Down,
    /// Up.
    Up,
}

/// A button of the pointer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Button {
    /// The main one.
    Left,
    /// The wheel.
    Middle,
    /// The one that opens menus.
    Right,
    /// The one that goes back.
    Back,
    /// The one that goes forward.
    Forward,
}

/// A key of the keyboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    /// The key that makes this character.
    Char(char),
    /// A key with a name.
    Named(Named),
}

/// Keys that make no character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // Each name is what is printed on the key.
pub enum Named {
    /// What apps make their shortcuts with: Command on a Mac, Control elsewhere.
    Command,
    Control,
    Shift,
    Alt,
    AltGr,
    Logo,
    Return,
    Tab,
    Escape,
    Backspace,
    Delete,
    Insert,
    Home,
    End,
    PageUp,
    PageDown,
    Left,
    Right,
    Up,
    Down,
    Space,
    Menu,
    CapsLock,
    NumLock,
    PrintScreen,
    Pause,
    /// F1 to F24.
    Function(u8),
}
