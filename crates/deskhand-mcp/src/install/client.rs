//! The supported MCP clients and their settings files.

use std::path::PathBuf;

use super::FileFormat;

/// An MCP client whose settings can be edited.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Client {
    /// Claude Desktop.
    ClaudeDesktop,
    /// Claude Code.
    ClaudeCode,
    /// Cursor.
    Cursor,
    /// Visual Studio Code, its Insiders edition, and VSCodium.
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

/// The folders in which clients store their settings.
#[derive(Debug, Clone)]
pub struct Folders {
    /// The user's home folder.
    pub home: PathBuf,
    /// The XDG configuration folder.
    pub config: PathBuf,
    /// The configuration folder of desktop apps.
    pub apps: PathBuf,
    /// The value of `CLAUDE_CONFIG_DIR`.
    pub claude: Option<PathBuf>,
    /// The value of `CODEX_HOME`.
    pub codex: Option<PathBuf>,
}

/// A settings file of a client.
#[derive(Debug, Clone)]
pub struct ConfigFile {
    /// The client.
    pub client: Client,
    /// The file.
    pub file: PathBuf,
    /// A path that exists if the client is installed.
    marker: PathBuf,
    pub(super) format: FileFormat,
    /// The key of the table of servers.
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

    /// Returns the name used on the command line.
    pub fn as_str(self) -> &'static str {
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

    /// Returns the settings files of all installed editions, or of the default edition if none is
    /// installed.
    pub fn config_files(self, folders: &Folders) -> Vec<ConfigFile> {
        let mut all = self.editions(folders);
        if all.iter().any(ConfigFile::is_installed) {
            all.retain(ConfigFile::is_installed);
        } else {
            all.truncate(1);
        }
        all
    }

    fn editions(self, folders: &Folders) -> Vec<ConfigFile> {
        let Folders { home, config, apps, claude, codex } = folders;
        let file_in = |marker: PathBuf, file: &str, format, key| {
            vec![ConfigFile { client: self, file: marker.join(file), marker, format, key }]
        };
        let plain = FileFormat::Json { has_type: false };
        let typed = FileFormat::Json { has_type: true };
        match self {
            Self::ClaudeDesktop => {
                file_in(apps.join("Claude"), "claude_desktop_config.json", plain, "mcpServers")
            }
            Self::ClaudeCode => {
                let folder = claude.as_ref().unwrap_or(home);
                let marker = claude.clone().unwrap_or_else(|| home.join(".claude"));
                let file = folder.join(".claude.json");
                vec![ConfigFile { client: self, file, marker, format: typed, key: "mcpServers" }]
            }
            Self::Cursor => file_in(home.join(".cursor"), "mcp.json", plain, "mcpServers"),
            Self::VsCode => ["Code", "Code - Insiders", "VSCodium"]
                .into_iter()
                .flat_map(|name| file_in(apps.join(name), "User/mcp.json", typed, "servers"))
                .collect(),
            Self::Codex => {
                let folder = codex.clone().unwrap_or_else(|| home.join(".codex"));
                file_in(folder, "config.toml", FileFormat::Toml, "mcp_servers")
            }
            Self::Windsurf => {
                file_in(home.join(".codeium/windsurf"), "mcp_config.json", plain, "mcpServers")
            }
            Self::Zed => file_in(config.join("zed"), "settings.json", plain, "context_servers"),
            Self::Gemini => file_in(home.join(".gemini"), "settings.json", plain, "mcpServers"),
        }
    }
}

impl ConfigFile {
    /// Returns `true` if the client seems to be installed.
    pub fn is_installed(&self) -> bool {
        self.marker.exists() || self.file.is_symlink() || self.file.exists()
    }
}
