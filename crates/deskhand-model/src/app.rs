//! Programs on a desktop and their windows.

use serde::{Deserialize, Serialize};

use crate::{NodeId, Rect};

/// The name a platform gives a running program; meaningless outside its backend.
#[derive(
    Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, schemars::JsonSchema,
)]
pub struct AppId(pub String);

/// The library an app draws its widgets with, as far as it tells.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Toolkit {
    /// Its name as the app reports it, such as `gtk` or `Chromium`.
    pub name: String,
    /// Its version, empty when unknown.
    pub version: String,
}

/// One running program that shows an accessibility tree.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct App {
    /// How its backend knows it.
    pub id: AppId,
    /// The name it calls itself.
    pub name: String,
    /// Its process id; 0 when the platform does not tell.
    pub pid: u32,
    /// When the process started, in the kernel's own units, so that a reused pid is noticed.
    pub started: u64,
    /// The desktop-file id (Linux) or bundle identifier (macOS).
    pub bundle_id: Option<String>,
    /// The program file it runs.
    pub executable: Option<String>,
    /// What it draws its widgets with.
    pub toolkit: Toolkit,
    /// The root of its tree.
    pub root: NodeId,
    /// How many top-level windows its tree has.
    pub windows: u32,
    /// Whether it answered when it was listed; a frozen app is listed and says no.
    pub responding: bool,
}

/// One top-level window as the window system sees it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, schemars::JsonSchema)]
pub struct Window {
    /// The window system's number for it.
    pub id: u64,
    /// The text in its title bar.
    pub title: String,
    /// The process it belongs to; 0 when it does not say.
    pub pid: u32,
    /// The name of its program, when that is known; pass it as `app`.
    pub app: Option<String>,
    /// The class the program gave it, such as `Mousepad`.
    pub class: String,
    /// The room its content takes.
    pub bounds: Rect,
    /// The same with the borders and title bar around it.
    pub frame: Rect,
    /// Stacking position: 0 is the frontmost.
    pub z: u32,
    /// Whether it is minimized.
    pub minimized: bool,
    /// Whether it has the keyboard.
    pub focused: bool,
}
