//! What a tool is: its name, its arguments, its answer, its danger, and the words about it.

use deskhand_platform::Desktop;
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{Context, Image, Page, Result, Shown};

/// What a tool does to the world: the one place danger is stated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// It only looks.
    Observe,
    /// It only looks, and waits for something to happen meanwhile.
    Await,
    /// It changes what the caller has set up here, and nothing on the desktop.
    Prepare {
        /// Whether doing it twice comes to the same as doing it once.
        repeatable: bool,
    },
    /// It changes what is in view or what was copied; nothing is lost by it.
    Adjust {
        /// Whether doing it twice comes to the same as doing it once.
        repeatable: bool,
    },
    /// It changes something in an app or on the desktop.
    Act {
        /// Whether doing it twice comes to the same as doing it once.
        repeatable: bool,
    },
    /// It may lose what a person made: windows and programs end by it.
    Destroy,
    /// It starts a program.
    Execute,
    /// It runs a command that the sandbox holds to its scope.
    Command,
    /// It runs code of the caller's.
    Script,
}

impl Effect {
    /// Whether it only looks.
    pub fn is_look(self) -> bool {
        match self {
            Self::Observe | Self::Await => true,
            Self::Prepare { .. }
            | Self::Adjust { .. }
            | Self::Act { .. }
            | Self::Destroy
            | Self::Execute
            | Self::Command
            | Self::Script => false,
        }
    }

    /// Whether it changes anything beyond what the caller has set up here.
    pub fn mutates(self) -> bool {
        match self {
            Self::Observe | Self::Await | Self::Prepare { .. } => false,
            Self::Adjust { .. }
            | Self::Act { .. }
            | Self::Destroy
            | Self::Execute
            | Self::Command
            | Self::Script => true,
        }
    }

    /// What clients are told about it.
    pub fn hints(self) -> Hints {
        let (read_only, destructive, idempotent) = match self {
            Self::Observe | Self::Await => (true, false, true),
            Self::Prepare { repeatable } | Self::Adjust { repeatable } => {
                (false, false, repeatable)
            }
            Self::Act { repeatable } => (false, true, repeatable),
            Self::Destroy | Self::Execute | Self::Command | Self::Script => (false, true, false),
        };
        let open_world = matches!(self, Self::Command | Self::Script);
        Hints { read_only, destructive, idempotent, open_world }
    }
}

/// What a client is told about a tool before it asks a person for leave.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Hints {
    /// It changes nothing.
    pub read_only: bool,
    /// Something may be lost by it.
    pub destructive: bool,
    /// Doing it twice comes to the same as doing it once.
    pub idempotent: bool,
    /// It reaches beyond this desktop.
    pub open_world: bool,
}

/// A set of tools that is offered together.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toolset {
    /// The tools named `ax_…`: what is offered when nothing else is asked for.
    Ax,
    /// The few an agent cannot do without.
    Core,
    /// Command-line tools: the shell, operations, terminals, and what files declare.
    Cli,
    /// Tools of other MCP servers.
    Servers,
}

impl Toolset {
    /// Every set there is.
    pub const ALL: &[Self] = &[Self::Ax, Self::Core, Self::Cli, Self::Servers];

    /// The word it is asked for by.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ax => "ax",
            Self::Core => "core",
            Self::Cli => "cli",
            Self::Servers => "servers",
        }
    }
}

/// Whether a tool may run as a task, apart from the call that began it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskSupport {
    /// It may not.
    Never,
    /// It may, when the client asks for it.
    Optional,
}

/// How a tool is offered to programs; one that has no offer is for the command line alone, or, if it
/// is no command either, for what the server shows unasked.
#[derive(Debug)]
pub struct Offer {
    /// What a person sees instead of its name.
    pub title: &'static str,
    /// The sets it belongs to.
    pub toolsets: &'static [Toolset],
    /// Whether it may run as a task.
    pub task: TaskSupport,
}

/// A part of the desktop a tool cannot do without.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Need {
    /// The apps' trees.
    Tree,
    /// The window system's list of windows.
    Windows,
    /// The pixels.
    Screen,
    /// Pointer and keyboard.
    Input,
    /// What was copied.
    Clipboard,
    /// Programs that can be started and ended.
    Programs,
}

impl Need {
    /// Whether a desktop has it.
    pub fn met_by(self, desktop: &Desktop) -> bool {
        match self {
            Self::Tree => true,
            Self::Windows => desktop.windows.is_some(),
            Self::Screen => desktop.screen.is_some(),
            Self::Input => desktop.input.is_some(),
            Self::Clipboard => desktop.clipboard.is_some(),
            Self::Programs => desktop.programs.is_some(),
        }
    }
}

/// The fixed facts of a tool.
#[derive(Debug)]
pub struct Spec {
    /// The name it is called by.
    pub name: &'static str,
    /// The words of its command: `window move` is the command `move` of the group `window`. Empty
    /// for a tool that is offered to programs alone, because people have the same as another command.
    pub command: &'static str,
    /// One or two sentences for a reader who sees nothing else.
    pub about: &'static str,
    /// What it does to the world.
    pub effect: Effect,
    /// What it cannot do without.
    pub needs: &'static [Need],
}

impl Spec {
    /// What messages call it.
    pub(crate) const fn called(&self) -> &'static str {
        if self.command.is_empty() { self.name } else { self.command }
    }
}

/// An argument that no record shows as it was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Private {
    /// It carries text of a person's, or for one.
    Text(&'static str),
    /// It names keys: those that write a character are as good as text.
    Keys(&'static str),
    /// It is typed into a terminal, where a line is a command: a record shows it unless the program asks
    /// for a secret at that moment.
    Typed(&'static str),
}

/// One tool.
pub trait Tool {
    /// Its fixed facts.
    const SPEC: Spec;
    /// How it is offered to programs, where it is.
    const OFFER: Option<Offer> = None;
    /// Which of its arguments no record shows.
    const PRIVATE: &'static [Private] = &[];
    /// Its arguments; doc comments on the fields are the words of schema and help.
    type Args: DeserializeOwned + JsonSchema;
    /// Its answer.
    type Output: Serialize + JsonSchema + Shown;

    /// Does it.
    ///
    /// # Errors
    ///
    /// When the arguments name nothing, or the desktop does not answer.
    fn run(cx: &Context<'_>, args: Self::Args) -> Result<Self::Output>;
}

/// An answer in both forms.
#[derive(Debug)]
pub struct Answer {
    /// For programs.
    pub data: Value,
    /// For people.
    pub page: Page,
    /// The picture that is the answer, where one is.
    pub image: Option<Image>,
    /// Whether what was asked for came about, as far as can be told.
    pub succeeded: bool,
    /// What the caller should know beside the answer.
    pub warnings: Vec<String>,
}
