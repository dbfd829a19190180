//! Pointer and keyboard input.

use std::{sync::Arc, time::Duration};

use crate::{Deadline, InputGuard, Result};

/// Sends real input. The desktop decides who receives it: pointer input goes to the window under
/// the pointer, keys go to the window with the focus. While the screen is locked, every method
/// except [`release_all`](Self::release_all) fails with `ScreenLocked`.
pub trait Input: Send + Sync {
    /// Checks that real input can be sent now.
    ///
    /// # Errors
    ///
    /// `ScreenLocked` while a screen locker would receive the input.
    fn check_ready(&self, deadline: Deadline) -> Result<()>;

    /// Sets the guard that is consulted immediately before anything is sent. Releasing keys and
    /// buttons does not consult it.
    fn set_guard(&mut self, guard: Arc<dyn InputGuard>);

    /// Returns the position of the pointer.
    fn pointer_position(&self, deadline: Deadline) -> Result<(i32, i32)>;

    /// Moves the pointer in one step.
    fn move_pointer(&self, x: i32, y: i32, deadline: Deadline) -> Result<()>;

    /// Presses or releases a pointer button.
    fn send_button(&self, button: Button, press: Press, deadline: Deadline) -> Result<()>;

    /// Returns `true` if a pointer button is down.
    fn is_button_down(&self, button: Button, deadline: Deadline) -> Result<bool>;

    /// Turns the wheel by this many notches; positive values scroll right and down.
    fn scroll(&self, right: i32, down: i32, deadline: Deadline) -> Result<()>;

    /// Presses or releases a key.
    fn send_key(&self, key: &Key, press: Press, deadline: Deadline) -> Result<()>;

    /// Types text with any keyboard layout, and pauses after each character. A line break is typed
    /// as the Return key and a tab as the Tab key.
    ///
    /// # Errors
    ///
    /// `Unsupported` if the text cannot be typed, for example because it contains control
    /// characters; nothing was sent. `Timeout` if the app did not read its keys in time; part of
    /// the text may have been sent.
    fn type_text(&self, text: &str, pause: Duration, deadline: Deadline) -> Result<()>;

    /// Stops input in progress, and releases every key and button that this program holds down. A
    /// button is released where it was pressed, so that nothing is dropped elsewhere.
    fn release_all(&self, deadline: Deadline) -> Result<()>;

    /// Opens a keyboard for one window. It does not change the focus, the pointer or the stacking
    /// order of windows.
    ///
    /// # Errors
    ///
    /// `Unsupported` if the window system cannot do this, or if it would disturb the user now.
    fn background_keyboard(
        &self,
        window: u64,
        deadline: Deadline,
    ) -> Result<Box<dyn BackgroundKeyboard>>;
}

/// A separate keyboard whose keys go to one window, regardless of the focus.
pub trait BackgroundKeyboard: Send {
    /// Presses or releases a key.
    fn send_key(&mut self, key: &Key, press: Press, deadline: Deadline) -> Result<()>;

    /// Types text, and pauses after each character.
    fn type_text(&mut self, text: &str, pause: Duration, deadline: Deadline) -> Result<()>;
}

/// The press or the release of a key or button.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Press {
    /// The key or button goes down.
    Down,
    /// The key or button goes up.
    Up,
}

/// A pointer button.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Button {
    /// The primary button.
    Left,
    /// The wheel.
    Middle,
    /// The secondary button, which opens context menus.
    Right,
    /// The back button.
    Back,
    /// The forward button.
    Forward,
}

/// A key of the keyboard.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Key {
    /// The key that produces this character.
    Char(char),
    /// A key with a name.
    Named(NamedKey),
}

/// A key that produces no character.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[allow(missing_docs)] // Each name is the label on the key.
pub enum NamedKey {
    /// The modifier of app shortcuts: Command on macOS, Control elsewhere.
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
