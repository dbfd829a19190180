//! Vocabularies and the keys of tools. A vocabulary is a set of tools whose names are unique in it; two
//! vocabularies may use one name for different tools.

use std::{borrow::Cow, fmt};

/// A set of tools whose names are unique within the set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Vocabulary {
    /// The commands of the CLI.
    Commands,
    /// The `ax_…` tools of axterminator.
    Ax,
    /// The tools of MacosUseSDK.
    Desktop,
    /// The tools of accessibility-mcp.
    Inspect,
    /// Command-line tools: the shell, operations and terminals.
    Cli,
    /// The views behind MCP resources.
    Resources,
    /// Tools that are created at run time, from definition files and other MCP servers.
    Dynamic,
}

impl Vocabulary {
    /// The name of the vocabulary; also the name of its folder, if its tools are built in.
    pub fn word(self) -> &'static str {
        match self {
            Self::Commands => "commands",
            Self::Ax => "ax",
            Self::Desktop => "desktop",
            Self::Inspect => "inspect",
            Self::Cli => "cli",
            Self::Resources => "resources",
            Self::Dynamic => "dynamic",
        }
    }

    /// Returns the key of a tool of this vocabulary.
    pub fn tool(self, name: impl Into<Cow<'static, str>>) -> ToolKey {
        ToolKey { vocabulary: self, name: name.into() }
    }
}

/// Identifies a tool: its vocabulary and its name.
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct ToolKey {
    vocabulary: Vocabulary,
    name: Cow<'static, str>,
}

impl ToolKey {
    /// The vocabulary of the tool.
    pub fn vocabulary(&self) -> Vocabulary {
        self.vocabulary
    }

    /// The name of the tool in its vocabulary.
    pub fn name(&self) -> &str {
        &self.name
    }
}

impl fmt::Display for ToolKey {
    /// Writes the name, which is all that callers know of a tool.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)
    }
}
