//! Top-level windows: list and arrange.

use deskhand_model::{Rect, Window};

use crate::{Deadline, Owner, Result, Selection};

/// Lists windows and arranges them.
pub trait Windows: Send + Sync {
    /// Lists every top-level window, frontmost first.
    fn list(&self, deadline: Deadline) -> Result<Vec<Window>>;

    /// Returns the state of one window beyond what the list contains.
    ///
    /// # Errors
    ///
    /// `Gone` if the window no longer exists.
    fn state(&self, window: u64, deadline: Deadline) -> Result<WindowState>;

    /// Returns the owners of a window, a point or the keyboard, as the window system knows them.
    /// Empty if it is the desktop itself. Several if one program embeds its window in another's.
    fn owners(&self, of: OwnerQuery, deadline: Deadline) -> Result<Vec<Owner>>;

    /// Lists everything drawn on the screen, including menus, frontmost first.
    fn visible(&self, deadline: Deadline) -> Result<Vec<VisibleWindow>>;

    /// Requests a change to a window. The window manager or the program decides later if it
    /// complies; list the windows again to see the result.
    ///
    /// # Errors
    ///
    /// `Gone` if the window no longer exists, `Unsupported` if the change is impossible on this
    /// desktop; nothing was sent.
    fn arrange(
        &self,
        window: u64,
        change: WindowChange,
        deadline: Deadline,
    ) -> Result<RequestRecipient>;
}

/// Something on the desktop that has an owner.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OwnerQuery {
    /// The window at a point of the screen, which would receive a click there.
    Point(i32, i32),
    /// The window under the pointer.
    Pointer,
    /// The window with the keyboard focus.
    Keyboard,
    /// A window by its id.
    Window(u64),
    /// The content of a clipboard.
    Clipboard(Selection),
}

/// A window, menu or panel drawn on the screen.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct VisibleWindow {
    /// The window id. If a window manager put a frame around the window, the id of the window
    /// inside the frame.
    pub id: u64,
    /// The area it takes on the screen.
    pub rect: Rect,
    /// Tells if content behind it shows through.
    pub opacity: Opacity,
    /// The programs it belongs to.
    pub owners: Vec<Owner>,
}

/// Tells if content behind a window shows through.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Opacity {
    /// Nothing behind the window is visible.
    Opaque,
    /// Parts behind the window may be visible: it has holes, round corners or transparency.
    Translucent,
}

/// A change to a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum WindowChange {
    /// Raise the window and give it the keyboard focus; restore it if it is minimized.
    Focus,
    /// Move the top left corner of its frame to this point.
    MoveTo(i32, i32),
    /// Set the width and height of its frame.
    Resize(u32, u32),
    /// Minimize it.
    Minimize,
    /// Restore it if it is minimized; otherwise undo maximize or full screen.
    Restore,
    /// Maximize it to the work area, or undo that.
    Maximize(bool),
    /// Make it full screen, or undo that.
    FullScreen(bool),
    /// Request its program to close it.
    Close,
}

/// The recipient of a request to change a window.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RequestRecipient {
    /// The window manager.
    WindowManager,
    /// The window system itself, because no window manager runs.
    WindowSystem,
    /// The program that owns the window.
    Program,
}

/// The properties of a window that the window list does not contain.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WindowState {
    /// Its states, such as `maximized`, `fullscreen`, `above`, `modal`, `hidden`.
    pub states: Vec<String>,
    /// Its type, such as `normal`, `dialog`, `dock`.
    pub kind: String,
    /// The parent window of a dialog.
    pub parent: Option<u64>,
    /// The workspace it is on; `None` if it is on all workspaces or the desktop has none.
    pub workspace: Option<u32>,
    /// Its program accepts requests to close it.
    pub closable: bool,
    /// The minimum size of its content.
    pub min_size: Option<(u32, u32)>,
    /// The maximum size of its content.
    pub max_size: Option<(u32, u32)>,
    /// The step by which its size changes, if that is more than one pixel.
    pub resize_increment: Option<(u32, u32)>,
}
