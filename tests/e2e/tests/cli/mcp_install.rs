//! `deskhand mcp install` adds the server to the settings of every client and removes it again. The
//! rest of each file stays unchanged.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a panic is how a test reports")]

use std::{
    fs,
    io::{BufRead, BufReader, Write},
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
    process::{Command, Stdio},
};

use harness::{Outcome, TestDesktop, outcome};
use serde_json::{Value, json};

/// A temporary home folder.
struct Home(tempfile::TempDir);

impl Home {
    fn new() -> Self {
        Self(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, text: &str) -> PathBuf {
        let file = self.path(name);
        fs::create_dir_all(file.parent().unwrap()).unwrap();
        fs::write(&file, text).unwrap();
        file
    }

    fn install(&self, words: &[&str]) -> Outcome {
        self.install_with(words, &[])
    }

    fn install_with(&self, words: &[&str], variables: &[(&str, &Path)]) -> Outcome {
        let mut command = Command::new(outcome::binary());
        command.args(["mcp", "install"]).args(words);
        for name in ["XDG_CONFIG_HOME", "CLAUDE_CONFIG_DIR", "CODEX_HOME", "DISPLAY"] {
            command.env_remove(name);
        }
        Outcome::of(command.env("HOME", self.0.path()).envs(variables.iter().copied()))
    }
}

/// Realistic client settings: client, settings file, content.
const SETTINGS: [(&str, &str, &str); 10] = [
    (
        "claude-desktop",
        ".config/Claude/claude_desktop_config.json",
        "{\n  \"globalShortcut\": \"\",\n  \"mcpServers\": {\n    \"files\": {\n      \"command\": \"npx\",\n      \"args\": [\"-y\", \"server\"]\n    }\n  }\n}\n",
    ),
    (
        "claude-code",
        ".claude.json",
        "{\"numStartups\":7,\"projects\":{\"/p\":{\"mcpServers\":{\"deskhand\":{\"command\":\"x\"}}}},\"big\":12345678901234567890.5e3}",
    ),
    ("cursor", ".cursor/mcp.json", "{\r\n\t\"mcpServers\": {\r\n\t}\r\n}\r\n"),
    (
        "vscode",
        ".config/Code/User/mcp.json",
        "{\n\t// my servers\n\t\"servers\": {\n\t\t\"one\": { \"type\": \"http\", \"url\": \"http://localhost:1/mcp\" }, // a note\n\t},\n\t\"inputs\": []\n}",
    ),
    ("vscode", ".config/VSCodium/User/mcp.json", "// nothing yet\n"),
    (
        "codex",
        ".codex/config.toml",
        "# mine\nmodel = \"x\"   # the best\n\n[mcp_servers.docs]\ncommand = 'docs'\nargs = [ \"a\",\n  \"b\", ]\n\n[tui]\ntheme = \"dark\"",
    ),
    ("codex", ".codex/config.toml", "\u{feff}model = \"x\"\r\n[profiles.a]\r\nx = 1\r\n"),
    ("windsurf", ".codeium/windsurf/mcp_config.json", ""),
    (
        "zed",
        ".config/zed/settings.json",
        "// Zed settings\n{\n  \"theme\": \"One\", /* block */\n  \"context_servers\": {\n    \"other\": { \"command\": \"o\", \"args\": [], },\n  },\n}\n",
    ),
    ("gemini", ".gemini/settings.json", "\u{feff}{ \"theme\": \"GitHub\" }"),
];

#[test]
fn every_client_gets_the_server_and_keeps_its_settings() {
    for (client, name, before) in SETTINGS {
        let home = Home::new();
        let file = home.write(name, before);
        fs::set_permissions(&file, fs::Permissions::from_mode(0o640)).unwrap();
        let done = home.install(&["--client", client, "--format", "json"]);
        let row = &done.json()[0];
        assert_eq!(
            (row["client"].as_str(), row["change"].as_str()),
            (Some(client), Some("added")),
            "{done}"
        );
        let backup = row["backup"].as_str().unwrap();
        assert_eq!(fs::read_to_string(backup).unwrap(), before, "{client}");
        let after = fs::read_to_string(&file).unwrap();
        let mut rest = after.chars();
        let is_preserved =
            before.chars().filter(|it| !it.is_whitespace()).all(|it| rest.any(|other| other == it));
        assert!(is_preserved, "{client}: {before:?}\n{after:?}");
        let executable = outcome::binary().canonicalize().unwrap();
        assert!(after.contains(executable.to_str().unwrap()), "{client}: {after}");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640, "{client}");

        let again = home.install(&["--client", client, "--format", "json"]);
        assert_eq!(again.json()[0]["change"], "nothing", "{again}");
        assert_eq!(fs::read_to_string(&file).unwrap(), after, "{client}");

        let undone = home.install(&["--client", client, "--uninstall", "--format", "json"]);
        assert_eq!(undone.json()[0]["change"], "removed", "{undone}");
        assert_eq!(fs::read_to_string(&file).unwrap(), before, "{client}");
    }
}

#[test]
fn uninstall_keeps_later_changes() {
    let home = Home::new();
    let file = home.write(".config/zed/settings.json", "{\n  \"a\": 1, // one\n}\n");
    home.install(&["--client", "zed"]);
    let text = fs::read_to_string(&file).unwrap();
    fs::write(&file, text.replace("\"a\": 1", "\"a\": 2")).unwrap();
    home.install(&["--client", "zed", "--uninstall"]);
    let text = fs::read_to_string(&file).unwrap();
    assert!(text.contains("\"a\": 2, // one") && !text.contains("deskhand"), "{text}");
}

#[test]
fn entry_has_the_format_of_its_client() {
    for (client, name, pointer, kind) in [
        (
            "claude-desktop",
            ".config/Claude/claude_desktop_config.json",
            "/mcpServers/deskhand",
            None,
        ),
        ("claude-code", ".claude.json", "/mcpServers/deskhand", Some("stdio")),
        ("cursor", ".cursor/mcp.json", "/mcpServers/deskhand", None),
        ("vscode", ".config/Code/User/mcp.json", "/servers/deskhand", Some("stdio")),
        ("windsurf", ".codeium/windsurf/mcp_config.json", "/mcpServers/deskhand", None),
        ("zed", ".config/zed/settings.json", "/context_servers/deskhand", None),
        ("gemini", ".gemini/settings.json", "/mcpServers/deskhand", None),
    ] {
        let home = Home::new();
        let done = home.install(&["--client", client]);
        assert_eq!(done.code, Some(0), "{done}");
        let text = fs::read_to_string(home.path(name)).unwrap();
        let whole: Value = serde_json::from_str(&text).unwrap();
        let entry = whole.pointer(pointer).unwrap_or_else(|| panic!("{client}: {text}"));
        assert_eq!(entry["args"], json!(["mcp", "serve"]), "{client}");
        assert_eq!(entry["type"].as_str(), kind, "{client}");
        assert_eq!(fs::metadata(home.path(name)).unwrap().permissions().mode() & 0o777, 0o600);
        home.install(&["--client", client, "--uninstall"]);
        assert!(!home.path(name).exists(), "{client}: a file created by install must be removed");
    }
    let home = Home::new();
    let elsewhere = home.path("elsewhere");
    let variables = [("CODEX_HOME", &*elsewhere), ("CLAUDE_CONFIG_DIR", &*elsewhere)];
    home.install_with(&["--client", "codex,claude-code"], &variables);
    let text = fs::read_to_string(elsewhere.join("config.toml")).unwrap();
    assert!(text.starts_with("[mcp_servers.deskhand]\ncommand = "), "{text}");
    assert!(elsewhere.join(".claude.json").is_file());
}

#[test]
fn client_all_means_all_installed_clients() {
    let home = Home::new();
    home.write(".cursor/mcp.json", "{}");
    fs::create_dir_all(home.path(".gemini")).unwrap();
    let broken = home.write(".config/zed/settings.json", "{ \"a\": }");
    let done = home.install(&["--client", "all", "--format", "json"]);
    assert_eq!(done.code, Some(1), "one settings file is invalid: {done}");
    let rows: Value = serde_json::from_str(&done.text()).unwrap();
    let change = |client: &str| {
        let row = rows.as_array().unwrap().iter().find(|row| row["client"] == client);
        row.unwrap()["change"].as_str().unwrap().to_owned()
    };
    assert_eq!([change("cursor"), change("gemini")], ["added", "added"], "{done}");
    assert_eq!([change("codex"), change("vscode")], ["absent", "absent"], "{done}");
    assert_eq!(change("zed"), "failed", "{done}");
    assert_eq!(fs::read_to_string(broken).unwrap(), "{ \"a\": }");
    assert!(!home.path(".codex").exists() && !home.path(".config/Code").exists());
    let text = home.install(&["--client", "all"]).text();
    assert!(text.contains("codex           not installed"), "{text}");
}

#[test]
fn dry_run_shows_the_change_and_writes_nothing() {
    let home = Home::new();
    let before = "{\n  \"mcpServers\": {}\n}\n";
    let file = home.write(".cursor/mcp.json", before);
    let shown = home.install(&["--client", "cursor", "--dry-run"]);
    let text = shown.text();
    assert!(text.contains("@@") && text.contains("+    \"deskhand\": {"), "{text}");
    assert_eq!(fs::read_to_string(&file).unwrap(), before);
    assert_eq!(
        fs::read_dir(home.path(".cursor")).unwrap().count(),
        1,
        "a dry run must not create a backup"
    );
    let absent = home.install(&["--client", "gemini", "--dry-run"]);
    assert!(absent.text().contains("would be installed") && !home.path(".gemini").exists());
}

#[test]
fn invalid_settings_files_are_reported_and_not_changed() {
    for (text, words) in [
        ("{\n  \"mcpServers\": {\n", "line "),
        ("[1]", "not a JSON object"),
        ("{\"mcpServers\": \"none\"}", "mcpServers is not a JSON object"),
        (
            "{\"mcpServers\": {\"deskhand\": {\"url\": \"http://localhost\"}}}",
            "not an entry with a command",
        ),
    ] {
        let home = Home::new();
        let file = home.write(".cursor/mcp.json", text);
        let refused = home.install(&["--client", "cursor"]);
        assert_eq!(refused.code, Some(1), "{refused}");
        assert!(refused.stderr.contains(words) && refused.stderr.contains("next:"), "{refused}");
        assert_eq!(fs::read_to_string(&file).unwrap(), text);
        assert_eq!(fs::read_dir(home.path(".cursor")).unwrap().count(), 1);
    }
    let home = Home::new();
    // Not even root can create files in `/proc`.
    let refused =
        home.install_with(&["--client", "codex"], &[("CODEX_HOME", Path::new("/proc/1"))]);
    assert!(refused.code == Some(1) && refused.stderr.contains("cannot be written"), "{refused}");
}

#[test]
fn symbolic_link_is_followed_and_stays_a_link() {
    let home = Home::new();
    let real = home.write("dotfiles/mcp.json", "{}");
    fs::create_dir_all(home.path(".cursor")).unwrap();
    std::os::unix::fs::symlink("../dotfiles/mcp.json", home.path(".cursor/mcp.json")).unwrap();
    home.install(&["--client", "cursor"]);
    assert!(home.path(".cursor/mcp.json").is_symlink());
    assert!(fs::read_to_string(real).unwrap().contains("deskhand"));
}

#[test]
fn invalid_command_line_is_refused() {
    let home = Home::new();
    assert_eq!(home.install(&[]).code, Some(2));
    let unknown = home.install(&["--client", "emacs"]);
    assert!(unknown.code == Some(2) && unknown.stderr.contains("claude-desktop"), "{unknown}");
    let homeless = home.install_with(&["--client", "cursor"], &[("HOME", Path::new("."))]);
    assert!(homeless.code == Some(1) && homeless.stderr.contains("HOME"), "{homeless}");
}

#[test]
fn installed_entry_starts_a_server() {
    let stage = TestDesktop::new();
    let home = Home::new();
    home.install(&["--client", "cursor"]);
    let text = fs::read_to_string(home.path(".cursor/mcp.json")).unwrap();
    let whole: Value = serde_json::from_str(&text).unwrap();
    let entry = &whole["mcpServers"]["deskhand"];
    let words = entry["args"].as_array().unwrap().iter().map(|word| word.as_str().unwrap());
    let mut child = stage
        .command(entry["command"].as_str().unwrap())
        .args(words)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let params = json!({
        "protocolVersion": "2025-11-25",
        "capabilities": {},
        "clientInfo": { "name": "cursor", "version": "1" },
    });
    let hello = json!({ "jsonrpc": "2.0", "id": 1, "method": "initialize", "params": params });
    let mut input = child.stdin.take().unwrap();
    writeln!(input, "{hello}").unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap()).read_line(&mut line).unwrap();
    drop(input);
    child.wait().unwrap();
    assert!(line.contains("\"serverInfo\""), "{line}");
}
