//! The caller's description of the app under test and of the desktop.

use std::path::PathBuf;

use deskhand_model::{Node, Role};

use crate::{Desktop, Key, Machine, Result};

/// The app under test. A field that is `None` is something the app does not have; checks that need
/// it report [`NotInApp`](super::CheckOutcome::NotInApp).
#[derive(Debug, Clone, Default)]
pub struct TestApp {
    /// The name by which `Programs::find` finds it.
    pub program: String,
    /// Its command-line arguments.
    pub arguments: Vec<String>,
    /// A part of its window title.
    pub title: String,
    /// Elements that its complete tree contains.
    pub elements: Vec<ElementPattern>,
    /// An element whose text can be set, read and typed.
    pub text_field: Option<ElementPattern>,
    /// An element to press, and the visible effect.
    pub press_target: Option<PressTarget>,
    /// A password field and the password in it.
    pub password_field: Option<(ElementPattern, String)>,
    /// The path of the app, if it is scriptable.
    pub scriptable_path: Option<PathBuf>,
    /// A text that is visible in its window.
    pub visible_text: Option<String>,
    /// The key combination that opens a second window.
    pub new_window_keys: Option<Vec<Key>>,
    /// A misspelled name of the app, and the name that is suggested instead.
    pub misspelled: Option<(String, String)>,
    /// Its window can be resized.
    pub resizable: bool,
    /// Its window accepts keys while another window has the focus.
    pub background_keys: bool,
    /// It exits on request if nothing is unsaved.
    pub exits_on_request: bool,
}

/// A pattern for an element.
#[derive(Debug, Clone)]
pub struct ElementPattern {
    /// The accepted roles.
    pub roles: Vec<Role>,
    /// The accepted names, which differ between app versions and languages; empty accepts any name.
    pub names: Vec<String>,
}

impl ElementPattern {
    /// Matches elements with this role and name.
    pub fn with_name(role: Role, name: &str) -> Self {
        Self { roles: vec![role], names: vec![name.to_owned()] }
    }

    /// Matches elements with one of these roles and any name.
    pub fn with_roles(roles: &[Role]) -> Self {
        Self { roles: roles.to_vec(), names: Vec::new() }
    }

    /// Restricts the pattern to elements with one of these names.
    #[must_use]
    pub fn with_names(mut self, names: &[&str]) -> Self {
        self.names.extend(names.iter().map(|name| (*name).to_owned()));
        self
    }

    /// Returns `true` if an element matches the pattern.
    pub fn matches(&self, node: &Node) -> bool {
        self.roles.contains(&node.role)
            && (self.names.is_empty()
                || self.names.iter().any(|name| node.name.eq_ignore_ascii_case(name)))
    }
}

/// An element that can be pressed, and the effect of pressing it.
#[derive(Debug, Clone)]
pub struct PressTarget {
    /// The element.
    pub element: ElementPattern,
    /// The platform's name of the action that presses it.
    pub action: String,
    /// The number of presses.
    pub times: u32,
    /// The text that some element shows after the presses.
    pub expected_text: String,
}

/// Suspends and resumes processes, to test apps that do not respond.
pub trait ProcessControl: Send + Sync {
    /// Suspends a process.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    fn suspend(&self, pid: u32) -> Result<()>;

    /// Resumes a suspended process.
    ///
    /// # Errors
    ///
    /// If the system refuses.
    fn resume(&self, pid: u32) -> Result<()>;
}

/// The caller's description of the desktop.
#[derive(Default)]
pub struct Environment<'a> {
    /// The capabilities that the desktop does not have.
    pub absent: Vec<Capability>,
    /// Suspends the app under test, if the caller can do that.
    pub process_control: Option<&'a dyn ProcessControl>,
    /// The host below the desktop.
    pub machine: Option<&'a dyn Machine>,
}

/// A capability that a desktop may lack.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Capability {
    /// [`Windows`](crate::Windows).
    Windows,
    /// [`Screen`](crate::Screen).
    Screen,
    /// [`Input`](crate::Input).
    Input,
    /// [`BackgroundKeyboard`](crate::BackgroundKeyboard).
    BackgroundKeyboard,
    /// [`Clipboard`](crate::Clipboard).
    Clipboard,
    /// The clipboard [`Selection::Primary`](crate::Selection::Primary).
    Primary,
    /// [`Programs`](crate::Programs).
    Programs,
    /// [`Identities`](crate::Identities).
    Identities,
    /// [`Permissions`](crate::Permissions).
    Permissions,
    /// [`Dictionaries`](crate::Dictionaries).
    Dictionaries,
    /// [`TextRecognizer`](crate::TextRecognizer).
    TextRecognizer,
    /// [`Machine`], which the caller provides.
    Machine,
    /// [`ProcessControl`], which the caller provides.
    ProcessControl,
}

impl Capability {
    /// Every capability.
    pub const ALL: &[Self] = &[
        Self::Windows,
        Self::Screen,
        Self::Input,
        Self::BackgroundKeyboard,
        Self::Clipboard,
        Self::Primary,
        Self::Programs,
        Self::Identities,
        Self::Permissions,
        Self::Dictionaries,
        Self::TextRecognizer,
        Self::Machine,
        Self::ProcessControl,
    ];

    /// Its name in messages.
    pub fn name(self) -> &'static str {
        match self {
            Self::Windows => "windows",
            Self::Screen => "screen",
            Self::Input => "input",
            Self::BackgroundKeyboard => "background keyboard",
            Self::Clipboard => "clipboard",
            Self::Primary => "primary selection",
            Self::Programs => "programs",
            Self::Identities => "identities",
            Self::Permissions => "permissions",
            Self::Dictionaries => "dictionaries",
            Self::TextRecognizer => "text recognizer",
            Self::Machine => "machine",
            Self::ProcessControl => "process control",
        }
    }

    /// Returns `true` if the desktop has the capability; `None` if only a call can tell.
    pub(super) fn is_present(
        self,
        desktop: &Desktop,
        environment: &Environment<'_>,
    ) -> Option<bool> {
        match self {
            Self::Windows => Some(desktop.windows.is_some()),
            Self::Screen => Some(desktop.screen.is_some()),
            Self::Input => Some(desktop.input.is_some()),
            Self::Clipboard => Some(desktop.clipboard.is_some()),
            Self::Programs => Some(desktop.programs.is_some()),
            Self::Identities => Some(desktop.identities.is_some()),
            Self::Permissions => Some(desktop.permissions.is_some()),
            Self::Dictionaries => Some(desktop.dictionaries.is_some()),
            Self::TextRecognizer => Some(desktop.text_recognizer.is_some()),
            Self::Machine => Some(environment.machine.is_some()),
            Self::ProcessControl => Some(environment.process_control.is_some()),
            Self::BackgroundKeyboard | Self::Primary => None,
        }
    }
}
