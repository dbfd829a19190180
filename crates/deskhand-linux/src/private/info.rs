//! What is known of a desktop that is up, and how programs are put into it.

use std::path::PathBuf;
use std::process::Command;

use serde::{Deserialize, Serialize};
use x11rb::rust_connection::RustConnection;

use super::environment;
use super::error::Result;
use super::place::Place;
use super::process::Process;
use super::xserver;
use deskhand_platform::Folders;

/// One desktop that is up.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Info {
    /// The name it is called by.
    pub name: String,
    /// The mark that every process inside carries in `DESKHAND_DESKTOP`; unique for all time.
    pub id: String,
    /// The X display, such as `:7`.
    pub display: String,
    /// The monitors on that display, from left to right.
    pub displays: Vec<Display>,
    /// The address of its session bus.
    pub session_bus: String,
    /// The address of its accessibility bus.
    pub a11y_bus: String,
    /// The home directory of its programs.
    pub home: PathBuf,
    /// The runtime directory of its programs.
    pub runtime_dir: PathBuf,
    /// The file with the cookie that opens its X display.
    pub xauthority: PathBuf,
    /// The directory that holds the state of this and other desktops.
    pub state_dir: PathBuf,
    /// The folders whose settings, records and approvals hold on it.
    #[serde(default = "crate::folders::folders")]
    pub folders: Folders,
    /// The process it belongs to; absent when it stays until it is taken down.
    pub owner: Option<Process>,
    /// When it was made, in milliseconds since 1970.
    pub created_ms: u64,
    /// The processes it is made of.
    pub components: Vec<Component>,
}

/// One monitor and its place on the screen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Display {
    /// Its RANDR name.
    pub name: String,
    /// Its left edge.
    pub x: u32,
    /// Its top edge.
    pub y: u32,
    /// Pixels from left to right.
    pub width: u32,
    /// Pixels from top to bottom.
    pub height: u32,
}

/// A process that makes up the desktop.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Component {
    /// What it is for.
    pub part: Part,
    /// Its program.
    pub program: String,
    /// The process itself.
    #[serde(flatten)]
    pub process: Process,
}

/// What a component does for the desktop.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Part {
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

impl Info {
    /// Lists the variables that put a program into this desktop.
    pub fn env(&self) -> Vec<(String, String)> {
        environment::of(self)
    }

    /// Lists the variables of another session that a program in this desktop must not see.
    pub fn unset(&self) -> &'static [&'static str] {
        environment::FOREIGN
    }

    /// Makes a command run in this desktop, with nothing of the caller's session left to it.
    pub fn apply<'a>(&self, command: &'a mut Command) -> &'a mut Command {
        command.env_clear().envs(environment::inherited(std::env::vars_os())).envs(self.env())
    }

    /// Opens a connection to its X display, whatever display this process itself has.
    pub fn connect_x11(&self) -> Result<RustConnection> {
        xserver::connect(&self.display, &self.xauthority)
    }

    /// Finds the process of one part.
    pub fn component(&self, part: Part) -> Option<&Component> {
        self.components.iter().find(|one| one.part == part)
    }

    /// Returns the directory with the messages of its components, one file a program.
    pub fn logs(&self) -> PathBuf {
        self.place().logs()
    }

    pub(super) fn place(&self) -> Place {
        Place::new(self.state_dir.join(&self.name))
    }
}
