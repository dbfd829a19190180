//! The clients: where each keeps its settings, and what our entry looks like there.

use std::path::PathBuf;

use super::Format;

/// An MCP client whose settings can be edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// Claude Desktop.
    ClaudeDesktop,
    /// Claude Code.
    ClaudeCode,
    /// Cursor.
    Cursor,
    /// Visual Studio Code, its preview, and its build without a brand.
    VsCode,
    /// Codex.
    Codex,
    /// Windsurf.
    Windsurf,
    /// Zed.
    Zed,
    /// Gemini CLI.
    Gemini,
}

/// The folders that clients keep their settings in.
#[derive(Debug, Clone)]
pub struct Folders {
    /// The user's own.
    pub home: PathBuf,
    /// Where programs that follow the XDG rules keep settings.
    pub config: PathBuf,
    /// Where apps with windows keep settings.
    pub apps: PathBuf,
    /// What `CLAUDE_CONFIG_DIR` says.
    pub claude: Option<PathBuf>,
    /// What `CODEX_HOME` says.
    pub codex: Option<PathBuf>,
}

/// A settings file of a client.
#[derive(Debug, Clone)]
pub struct Place {
    /// The client.
    pub client: Client,
    /// The file.
    pub file: PathBuf,
    /// What is there when the client is.
    sign: PathBuf,
    pub(super) format: Format,
    /// The key that all servers are under.
    pub(super) key: &'static str,
}

impl Client {
    /// Every client.
    pub const ALL: [Self; 8] = [
        Self::ClaudeDesktop,
        Self::ClaudeCode,
        Self::Cursor,
        Self::VsCode,
        Self::Codex,
        Self::Windsurf,
        Self::Zed,
        Self::Gemini,
    ];

    /// Its name as an argument.
    pub fn word(self) -> &'static str {
        match self {
            Self::ClaudeDesktop => "claude-desktop",
            Self::ClaudeCode => "claude-code",
            Self::Cursor => "cursor",
            Self::VsCode => "vscode",
            Self::Codex => "codex",
            Self::Windsurf => "windsurf",
            Self::Zed => "zed",
            Self::Gemini => "gemini",
        }
    }

    /// Its settings files: of every edition that is there, or else of the usual one.
    pub fn places(self, folders: &Folders) -> Vec<Place> {
        let mut all = self.editions(folders);
        if all.iter().any(Place::is_here) {
            all.retain(Place::is_here);
        } else {
            all.truncate(1);
        }
        all
    }

    fn editions(self, folders: &Folders) -> Vec<Place> {
        let Folders { home, config, apps, claude, codex } = folders;
        let place = |sign: PathBuf, file: &str, format, key| {
            vec![Place { client: self, file: sign.join(file), sign, format, key }]
        };
        let plain = Format::Json { typed: false };
        let typed = Format::Json { typed: true };
        match self {
            Self::ClaudeDesktop => {
                place(apps.join("Claude"), "claude_desktop_config.json", plain, "mcpServers")
            }
            Self::ClaudeCode => {
                let folder = claude.as_ref().unwrap_or(home);
                let sign = claude.clone().unwrap_or_else(|| home.join(".claude"));
                let file = folder.join(".claude.json");
                vec![Place { client: self, file, sign, format: typed, key: "mcpServers" }]
            }
            Self::Cursor => place(home.join(".cursor"), "mcp.json", plain, "mcpServers"),
            Self::VsCode => ["Code", "Code - Insiders", "VSCodium"]
                .into_iter()
                .flat_map(|name| place(apps.join(name), "User/mcp.json", typed, "servers"))
                .collect(),
            Self::Codex => {
                let folder = codex.clone().unwrap_or_else(|| home.join(".codex"));
                place(folder, "config.toml", Format::Toml, "mcp_servers")
            }
            Self::Windsurf => {
                place(home.join(".codeium/windsurf"), "mcp_config.json", plain, "mcpServers")
            }
            Self::Zed => place(config.join("zed"), "settings.json", plain, "context_servers"),
            Self::Gemini => place(home.join(".gemini"), "settings.json", plain, "mcpServers"),
        }
    }
}

impl Place {
    /// Whether the client seems to be installed.
    pub fn is_here(&self) -> bool {
        self.sign.exists() || self.file.is_symlink() || self.file.exists()
    }
}
