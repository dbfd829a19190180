//! The parts of a tool declaration: name, arguments, output, effect class and descriptions.

use deskhand_platform::Desktop;
use schemars::JsonSchema;
use serde::{Serialize, de::DeserializeOwned};
use serde_json::Value;

use crate::{Context, Image, Render, Result, StyledText};

/// The effect class of a tool. This is the only place that states how dangerous a tool is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Effect {
    /// Only reads.
    Observe,
    /// Only reads, and waits for something to happen.
    Await,
    /// Changes the caller's session and nothing on the desktop.
    Prepare {
        /// `true` if repeating the call has no further effect.
        repeatable: bool,
    },
    /// Changes the view or the clipboard; no user data is lost.
    Adjust {
        /// `true` if repeating the call has no further effect.
        repeatable: bool,
    },
    /// Changes something in an app or on the desktop.
    Act {
        /// `true` if repeating the call has no further effect.
        repeatable: bool,
    },
    /// Can lose user data: closes windows or ends programs.
    Destroy,
    /// Starts a program.
    Execute,
    /// Runs a command in the sandbox.
    Command,
    /// Runs a script that the caller provides.
    Script,
}

impl Effect {
    /// Returns `true` if the tool only reads.
    pub fn is_read_only(self) -> bool {
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

    /// Returns `true` if the tool changes anything outside the caller's session.
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

    /// Returns the MCP annotations for this effect.
    pub fn hints(self) -> Annotations {
        let (read_only, destructive, idempotent) = match self {
            Self::Observe | Self::Await => (true, false, true),
            Self::Prepare { repeatable } | Self::Adjust { repeatable } => {
                (false, false, repeatable)
            }
            Self::Act { repeatable } => (false, true, repeatable),
            Self::Destroy | Self::Execute | Self::Command | Self::Script => (false, true, false),
        };
        let open_world = matches!(self, Self::Command | Self::Script);
        Annotations { read_only, destructive, idempotent, open_world }
    }
}

/// The MCP annotations of a tool, which clients show before they ask for approval.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Annotations {
    /// The tool changes nothing.
    pub read_only: bool,
    /// The tool can lose data.
    pub destructive: bool,
    /// Repeating the call has no further effect.
    pub idempotent: bool,
    /// The tool can reach beyond this desktop.
    pub open_world: bool,
}

/// A named set of tools that `--toolsets` selects.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Toolset {
    /// The tools named `ax_…` (default).
    Ax,
    /// The minimum an agent needs.
    Core,
    /// The tools of MacosUseSDK.
    Desktop,
    /// The tools of accessibility-mcp.
    Inspect,
    /// Command-line tools: the shell, operations, terminals and tools from definition files.
    Cli,
    /// Tools of other MCP servers.
    Servers,
}

impl Toolset {
    /// Every toolset. If two toolsets contain tools of the same name, the first one's tool is offered.
    pub const ALL: &[Self] =
        &[Self::Ax, Self::Core, Self::Desktop, Self::Inspect, Self::Cli, Self::Servers];

    /// The word that `--toolsets` accepts for all toolsets.
    pub const ALL_WORD: &str = "all";

    /// The name that `--toolsets` accepts.
    pub fn word(self) -> &'static str {
        match self {
            Self::Ax => "ax",
            Self::Core => "core",
            Self::Desktop => "desktop",
            Self::Inspect => "inspect",
            Self::Cli => "cli",
            Self::Servers => "servers",
        }
    }

    /// Returns the toolsets that a word selects: one, or all of them. Returns `None` for an unknown word.
    pub fn selected_by(word: &str) -> Option<Vec<Self>> {
        if word == Self::ALL_WORD {
            return Some(Self::ALL.to_vec());
        }
        Self::ALL.iter().find(|set| set.word() == word).map(|set| vec![*set])
    }
}

/// Task support of a tool: running apart from the call that started it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TaskSupport {
    /// The tool cannot run as a task.
    Never,
    /// The tool runs as a task if the client requests it.
    Optional,
}

/// The way a tool is offered to MCP clients. A tool without an offer is a CLI command only, or a
/// source of resources.
#[derive(Debug)]
pub struct Offer {
    /// The title that user interfaces show instead of the name.
    pub title: &'static str,
    /// The toolsets that contain the tool.
    pub toolsets: &'static [Toolset],
    /// Task support of the tool.
    pub task: TaskSupport,
}

/// A part of the desktop that a tool requires.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Requirement {
    /// The accessibility trees of apps.
    Tree,
    /// The window list.
    Windows,
    /// The pixels of the screen.
    Screen,
    /// The pointer and the keyboard.
    Input,
    /// The clipboard.
    Clipboard,
    /// Starting and ending programs.
    Programs,
}

impl Requirement {
    /// Returns `true` if the desktop has this part.
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

/// The constant properties of a tool.
#[derive(Debug)]
pub struct ToolSpec {
    /// The tool's name.
    pub name: &'static str,
    /// The words of the CLI command: `window move` is the command `move` of the group `window`.
    /// Empty for a tool that only MCP clients use because the CLI has an equivalent command.
    pub command: &'static str,
    /// A description in one or two sentences for a reader who sees nothing else.
    pub about: &'static str,
    /// The effect class of the tool.
    pub effect: Effect,
    /// The parts of the desktop that the tool requires.
    pub needs: &'static [Requirement],
}

impl ToolSpec {
    /// Returns the name that error messages use.
    pub(crate) const fn display_name(&self) -> &'static str {
        if self.command.is_empty() { self.name } else { self.command }
    }
}

/// An argument that the audit log redacts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum PrivateArg {
    /// Text that a user wrote or reads.
    Text(&'static str),
    /// Key names; keys that produce a character are redacted like text.
    Keys(&'static str),
    /// Text typed into a terminal, where a line is a command: recorded unless the program expects a
    /// secret.
    Typed(&'static str),
}

/// A tool declaration.
pub trait Tool {
    /// The constant properties.
    const SPEC: ToolSpec;
    /// The way the tool is offered to MCP clients, if it is.
    const OFFER: Option<Offer> = None;
    /// The arguments that the audit log redacts.
    const PRIVATE: &'static [PrivateArg] = &[];
    /// The arguments. Doc comments on the fields become schema descriptions and CLI help.
    type Args: DeserializeOwned + JsonSchema;
    /// The output.
    type Output: Serialize + JsonSchema + Render;

    /// Runs the tool.
    ///
    /// # Errors
    ///
    /// Returns an error if the arguments match nothing or the desktop does not respond.
    fn run(cx: &Context<'_>, args: Self::Args) -> Result<Self::Output>;
}

/// The output of a tool as data and as text.
#[derive(Debug)]
pub struct ToolOutput {
    /// The structured output.
    pub data: Value,
    /// The text output.
    pub text: StyledText,
    /// The image, if the output is one.
    pub image: Option<Image>,
    /// `true` if the tool achieved what the caller requested, as far as it could verify.
    pub succeeded: bool,
    /// Warnings beside the output.
    pub warnings: Vec<String>,
}
