//! Top-level windows: list and arrange.

use deskhand_model::{Rect, Window};

use crate::{Deadline, Owner, Result, Selection};

/// Lists windows and arranges them.
pub trait Windows: Send + Sync {
    /// Every top-level window, the frontmost first.
    fn list(&self, by: Deadline) -> Result<Vec<Window>>;

    /// Everything else there is to know about one window; `Gone` when it is no longer there.
    fn state(&self, window: u64, by: Deadline) -> Result<WindowState>;

    /// Whom something belongs to, as the window system knows it and not as programs say; nobody when
    /// it is the desktop itself. Several when one program shows its window within another's.
    fn owners(&self, of: Whose, by: Deadline) -> Result<Vec<Owner>>;

    /// Everything that is drawn on the screen, menus included, the frontmost first.
    fn shown(&self, by: Deadline) -> Result<Vec<Shown>>;

    /// Asks for a change to a window. Whether it comes about is decided later and by others, so
    /// only a look at the list tells.
    ///
    /// # Errors
    ///
    /// `Gone` when the window is no longer there, `Unsupported` when nobody could do it: nothing was
    /// sent then.
    fn arrange(&self, window: u64, change: Arrange, by: Deadline) -> Result<Asked>;
}

/// What somebody owns.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Whose {
    /// What lies at a point of the screen, and would get a click there.
    At(i32, i32),
    /// What lies under the pointer.
    Pointer,
    /// What has the keyboard.
    Keyboard,
    /// A window.
    Window(u64),
    /// What was copied.
    Copied(Selection),
}

/// Something drawn on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shown {
    /// Its number: that of the program's window inside, where a window manager put one around it.
    pub id: u64,
    /// The room it takes.
    pub room: Rect,
    /// Whether what lies behind can be seen through it.
    pub covering: Covering,
    /// Whose it is.
    pub owners: Vec<Owner>,
}

/// Whether what lies behind something can be seen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Covering {
    /// Nothing of it.
    Whole,
    /// Some of it: it has holes or round corners, or is not opaque.
    Partly,
}

/// A change to a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Arrange {
    /// Give it the keyboard and bring it to the front; it is restored if it was minimized.
    Focus,
    /// Put the corner of its frame here.
    MoveTo(i32, i32),
    /// Make its frame this wide and high.
    Resize(u32, u32),
    /// Hide it behind its icon.
    Minimize,
    /// Show it again if it is minimized; else make it as large as it was before it filled the
    /// screen.
    Restore,
    /// Fill the work area, or no longer.
    Maximize(bool),
    /// Fill the screen without borders, or no longer.
    FullScreen(bool),
    /// Ask its program to close it.
    Close,
}

/// Who was asked to change a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Asked {
    /// The window manager.
    Manager,
    /// The window system itself, as no window manager runs.
    System,
    /// The program that owns it.
    Program,
}

/// Everything the window system knows about a window beside what the list shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowState {
    /// The states it is in, such as `maximized`, `fullscreen`, `above`, `modal`, `hidden`.
    pub states: Vec<String>,
    /// Which kind of window it is, such as `normal`, `dialog`, `dock`.
    pub kind: String,
    /// The window it belongs to, for dialogs.
    pub parent: Option<u64>,
    /// On which workspace it is; `None` on all of them, or when there are none.
    pub workspace: Option<u32>,
    /// Whether its program can be asked to close it.
    pub closable: bool,
    /// The smallest size its program allows for what is inside the frame.
    pub smallest: Option<(u32, u32)>,
    /// The largest size its program allows for what is inside the frame.
    pub largest: Option<(u32, u32)>,
    /// The steps in which its program lets it grow, where they are more than a pixel.
    pub step: Option<(u32, u32)>,
}
