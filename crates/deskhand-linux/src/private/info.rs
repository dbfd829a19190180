//! The description of a running desktop, and how to run programs in it.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::Command;

use serde::{Deserialize, Serialize};
use x11rb::rust_connection::RustConnection;

use super::desktop_dir::DesktopDir;
use super::environment;
use super::error::Result;
use super::process::Process;
use super::xserver;
use deskhand_platform::Folders;

/// A running desktop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct DesktopInfo {
    /// The desktop's name.
    pub name: String,
    /// The unique id that every process in the desktop has in `DESKHAND_DESKTOP`.
    pub id: String,
    /// The X display, such as `:7`.
    pub display: String,
    /// The monitors on that display, from left to right.
    pub displays: Vec<Display>,
    /// The address of the session bus.
    pub session_bus: String,
    /// The address of the accessibility bus.
    pub a11y_bus: String,
    /// The home directory of its programs.
    pub home: PathBuf,
    /// The runtime directory of its programs.
    pub runtime_dir: PathBuf,
    /// The file with the cookie for the X display.
    pub xauthority: PathBuf,
    /// The state directory of this and other desktops.
    pub state_dir: PathBuf,
    /// The folders with the settings, logs and approvals that apply in the desktop.
    #[serde(default = "crate::folders::folders")]
    pub folders: Folders,
    /// The process that the desktop belongs to, or `None` if it runs until it is taken down.
    pub owner: Option<Process>,
    /// The start time, in milliseconds since 1970.
    pub created_ms: u64,
    /// The processes that make up the desktop.
    pub components: Vec<Component>,
}

/// A monitor and its position on the screen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Display {
    /// The RANDR name.
    pub name: String,
    /// The left edge.
    pub x: u32,
    /// The top edge.
    pub y: u32,
    /// The width in pixels.
    pub width: u32,
    /// The height in pixels.
    pub height: u32,
}

/// A process that is part of the desktop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Component {
    /// The kind of component.
    #[serde(rename = "part")]
    pub kind: ComponentKind,
    /// The name of the program.
    pub program: String,
    /// The process.
    #[serde(flatten)]
    pub process: Process,
}

/// The kinds of components.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ComponentKind {
    /// The X server.
    Display,
    /// The session bus.
    SessionBus,
    /// The launcher of the accessibility bus.
    A11yLauncher,
    /// The accessibility bus.
    A11yBus,
    /// The registry of accessible programs.
    A11yRegistry,
    /// The window manager.
    WindowManager,
}

impl DesktopInfo {
    /// Returns the variables that make a program run in this desktop.
    pub fn env(&self) -> Vec<(String, String)> {
        environment::all_variables(self)
    }

    /// Returns the variables of other sessions that a program in this desktop must not see.
    pub fn variables_to_unset(&self) -> &'static [&'static str] {
        environment::FOREIGN_VARIABLES
    }

    /// Makes a command run in this desktop, without the variables of the caller's session.
    pub fn apply<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.env_clear().envs(self.complete_env())
    }

    /// Returns the complete environment of a program in this desktop. If a name occurs twice, the
    /// later value applies.
    pub(crate) fn complete_env(&self) -> Vec<(OsString, OsString)> {
        let mut all = environment::inherited(std::env::vars_os());
        all.extend(self.env().into_iter().map(|(name, value)| (name.into(), value.into())));
        all
    }

    /// Connects to the desktop's X display.
    pub fn connect_x11(&self) -> Result<RustConnection> {
        xserver::connect(&self.display, &self.xauthority)
    }

    /// Returns the component of a kind.
    pub fn component(&self, kind: ComponentKind) -> Option<&Component> {
        self.components.iter().find(|one| one.kind == kind)
    }

    /// Returns the directory with the components' logs, one file for each program.
    pub fn logs(&self) -> PathBuf {
        self.dir().logs()
    }

    pub(super) fn dir(&self) -> DesktopDir {
        DesktopDir::new(self.state_dir.join(&self.name))
    }
}
