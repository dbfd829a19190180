//! What the caller tells of the app the checks work on, and of the desktop it runs on.

use std::path::PathBuf;

use deskhand_model::{Node, Role};

use crate::{Desktop, Key, Machine, Result};

/// An app to work on. What is `None` the app does not have, and checks that need it say so.
#[derive(Debug, Clone, Default)]
pub struct Subject {
    /// What `Programs::find` finds it by.
    pub program: String,
    /// What it is started with.
    pub arguments: Vec<String>,
    /// A part of the title of its window.
    pub title: String,
    /// Elements its tree has once it is complete.
    pub elements: Vec<Wanted>,
    /// Where text can be set, read and typed.
    pub text: Option<Wanted>,
    /// Something to press, and what shows that it was.
    pub press: Option<Pressing>,
    /// A password field, and the secret it holds.
    pub password: Option<(Wanted, String)>,
    /// The path of the app, where it has words for scripts.
    pub scripted: Option<PathBuf>,
    /// Something its window shows as text.
    pub legible: Option<String>,
    /// The keys that together open a second window.
    pub new_window: Option<Vec<Key>>,
    /// A word that comes near its name, and the name that is offered instead.
    pub near: Option<(String, String)>,
    /// Whether its window can be given other sizes.
    pub resizable: bool,
    /// Whether keys can be sent to its window while another has the keyboard.
    pub aside: bool,
    /// Whether it ends when it is asked to and nothing is unsaved.
    pub ends_when_asked: bool,
}

/// An element to find.
#[derive(Debug, Clone)]
pub struct Wanted {
    /// The roles it may have.
    pub roles: Vec<Role>,
    /// The names it may have, as versions of an app and languages differ; any when there are none.
    pub names: Vec<String>,
}

impl Wanted {
    /// An element of a role and a name.
    pub fn named(role: Role, name: &str) -> Self {
        Self { roles: vec![role], names: vec![name.to_owned()] }
    }

    /// The first element of one of these roles, whatever its name.
    pub fn any_of(roles: &[Role]) -> Self {
        Self { roles: roles.to_vec(), names: Vec::new() }
    }

    /// The same, only where it has one of these names.
    #[must_use]
    pub fn called(mut self, names: &[&str]) -> Self {
        self.names.extend(names.iter().map(|name| (*name).to_owned()));
        self
    }

    /// Whether an element is it.
    pub fn fits(&self, node: &Node) -> bool {
        self.roles.contains(&node.role)
            && (self.names.is_empty()
                || self.names.iter().any(|name| node.name.eq_ignore_ascii_case(name)))
    }
}

/// Something that can be pressed.
#[derive(Debug, Clone)]
pub struct Pressing {
    /// What is pressed.
    pub what: Wanted,
    /// The action that presses it, in the platform's own word.
    pub action: String,
    /// How often it is pressed.
    pub times: u32,
    /// What some element then holds as its text.
    pub shows: String,
}

/// Stops the processes of an app, so that it answers nobody, and lets them go on.
pub trait Stop: Send + Sync {
    /// Stops a process.
    ///
    /// # Errors
    ///
    /// When the system does not let it.
    fn stop(&self, pid: u32) -> Result<()>;

    /// Lets it go on.
    ///
    /// # Errors
    ///
    /// When the system does not let it.
    fn resume(&self, pid: u32) -> Result<()>;
}

/// What the caller says of the desktop.
#[derive(Default)]
pub struct Declared<'a> {
    /// What the desktop does not have.
    pub absent: Vec<Part>,
    /// How to stop an app, where the caller can.
    pub stop: Option<&'a dyn Stop>,
    /// The machine below the desktop.
    pub machine: Option<&'a dyn Machine>,
}

/// Something a desktop may lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Part {
    /// The list of windows.
    Windows,
    /// The pixels.
    Screen,
    /// Pointer and keyboard.
    Input,
    /// A keyboard whose keys go to one window.
    Aside,
    /// What was copied.
    Clipboard,
    /// The clipboard that is filled by selecting.
    Primary,
    /// Programs to start and end.
    Programs,
    /// What programs are.
    Identities,
    /// What a person must allow.
    Permissions,
    /// What apps can be told by scripts.
    Dictionaries,
    /// A reader of the text in pictures.
    Reader,
    /// The machine, told by the caller.
    Machine,
    /// A way to stop an app, told by the caller.
    Stopping,
}

impl Part {
    /// Every part there is.
    pub const ALL: &[Self] = &[
        Self::Windows,
        Self::Screen,
        Self::Input,
        Self::Aside,
        Self::Clipboard,
        Self::Primary,
        Self::Programs,
        Self::Identities,
        Self::Permissions,
        Self::Dictionaries,
        Self::Reader,
        Self::Machine,
        Self::Stopping,
    ];

    /// The word messages use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Windows => "windows",
            Self::Screen => "screen",
            Self::Input => "input",
            Self::Aside => "aside",
            Self::Clipboard => "clipboard",
            Self::Primary => "primary",
            Self::Programs => "programs",
            Self::Identities => "identities",
            Self::Permissions => "permissions",
            Self::Dictionaries => "dictionaries",
            Self::Reader => "reader",
            Self::Machine => "machine",
            Self::Stopping => "stopping",
        }
    }

    /// Whether a desktop has it, where its parts tell; calls tell the rest.
    pub(super) fn present(self, desktop: &Desktop, declared: &Declared<'_>) -> Option<bool> {
        match self {
            Self::Windows => Some(desktop.windows.is_some()),
            Self::Screen => Some(desktop.screen.is_some()),
            Self::Input => Some(desktop.input.is_some()),
            Self::Clipboard => Some(desktop.clipboard.is_some()),
            Self::Programs => Some(desktop.programs.is_some()),
            Self::Identities => Some(desktop.identities.is_some()),
            Self::Permissions => Some(desktop.permissions.is_some()),
            Self::Dictionaries => Some(desktop.dictionaries.is_some()),
            Self::Reader => Some(desktop.reader.is_some()),
            Self::Machine => Some(declared.machine.is_some()),
            Self::Stopping => Some(declared.stop.is_some()),
            Self::Aside | Self::Primary => None,
        }
    }
}
