//! Running apps and their windows.

use serde::{Deserialize, Serialize};

use crate::{NodeId, Rect};

/// A platform's identifier for a running app. Only its backend can interpret it.
#[derive(
    Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct AppId(pub String);

/// The UI toolkit of an app, as the app reports it.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Toolkit {
    /// The toolkit name as the app reports it, such as `gtk` or `Chromium`.
    pub name: String,
    /// The toolkit version; empty if unknown.
    pub version: String,
}

/// A running program with an accessibility tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct App {
    /// The backend's identifier for the app.
    pub id: AppId,
    /// The app's own name.
    pub name: String,
    /// The process id; 0 if the platform does not report it.
    pub pid: u32,
    /// The start time of the process, in the kernel's units. It tells a reused pid from the
    /// original.
    pub started: u64,
    /// The desktop-file id (Linux) or bundle identifier (macOS).
    pub bundle_id: Option<String>,
    /// The path of the program file.
    pub executable: Option<String>,
    /// The UI toolkit of the app.
    pub toolkit: Toolkit,
    /// The root element of its tree.
    pub root: NodeId,
    /// The number of top-level windows in its tree.
    pub windows: u32,
    /// True if the app answered while apps were being listed; false for a frozen app.
    pub responding: bool,
}

/// A top-level window as the window system reports it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Window {
    /// The window system's id of the window.
    pub id: u64,
    /// The text in the title bar.
    pub title: String,
    /// The process that owns the window; 0 if unknown.
    pub pid: u32,
    /// The name of the app that owns the window, if known; pass it as `app`.
    pub app: Option<String>,
    /// The window class set by the program, such as `Mousepad`.
    pub class: String,
    /// The rectangle of the window's content.
    pub bounds: Rect,
    /// The rectangle of the window including its borders and title bar.
    pub frame: Rect,
    /// Stacking position: 0 is the frontmost.
    pub z: u32,
    /// True if the window is minimized.
    pub minimized: bool,
    /// True if the window has the keyboard focus.
    pub focused: bool,
}
