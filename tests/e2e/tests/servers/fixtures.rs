//! Shared fixtures: user folders and calls of other servers' tools.

use std::{
    fs,
    path::PathBuf,
    process::Command,
    time::{Duration, Instant},
};

use deskhand_client::{Config, ConnectionState, RemoteTool, Servers, TokenStorage};
pub(crate) use harness::remote_servers::{
    Issuer, OauthServer, ServerProcess, everything, free_port,
};
use harness::{Outcome, outcome};
use serde_json::{Value, json};

/// Timeout on a busy machine.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(30);

/// Temporary user folders.
pub(crate) struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    /// Creates folders with this server configuration.
    pub(crate) fn with(servers: Value) -> Self {
        let home = Self { folder: tempfile::tempdir().unwrap() };
        for name in ["config", "data", "state", "cache", "runtime"] {
            fs::create_dir(home.path(name)).unwrap();
        }
        fs::write(home.path("config/mcp.json"), json!({ "servers": servers }).to_string()).unwrap();
        home
    }

    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Runs `deskhand` with these folders.
    pub(crate) fn deskhand(&self, words: &[&str]) -> Outcome {
        Outcome::of(&mut self.command(words))
    }

    fn command(&self, words: &[&str]) -> Command {
        let mut command = Command::new(outcome::binary());
        for name in ["config", "data", "state", "cache", "runtime"] {
            let variable = format!("DESKHAND_{}_DIR", name.to_uppercase());
            command.env(variable, self.path(name));
        }
        command.args(["--format", "json"]).args(words);
        command
    }

    /// Logs in with a scripted browser that gives this answer.
    pub(crate) fn log_in(&self, issuer: &Issuer, server: &str, answer: &str) -> Outcome {
        let browser = issuer.browser(self.folder.path(), &[answer]);
        let mut command = self.command(&["servers", "login", server, "--timeout", "30"]);
        Outcome::of(command.env("BROWSER", browser))
    }

    /// Path of the only token file.
    pub(crate) fn tokens(&self) -> PathBuf {
        let entries = fs::read_dir(self.path("data/servers")).unwrap();
        let files = entries.map(|entry| entry.unwrap().path());
        let mut files: Vec<_> =
            files.filter(|path| path.extension().is_some_and(|it| it == "json")).collect();
        assert_eq!(files.len(), 1, "{files:?}");
        files.remove(0)
    }

    /// Opens the configured servers in this process.
    pub(crate) fn servers(&self) -> Servers {
        let text = fs::read_to_string(self.path("config/mcp.json")).unwrap();
        let config = Config::parse(&text, "mcp.json", &|_| None).unwrap();
        Servers::open(&config, &TokenStorage::new(self.path("data/servers"))).unwrap()
    }
}

/// Waits until the state of a server matches.
pub(crate) fn until(servers: &Servers, name: &str, fits: impl Fn(&ConnectionState) -> bool) {
    let end = Instant::now() + TIMEOUT;
    let status = || servers.status().into_iter().find(|one| one.server == name).unwrap();
    while !fits(&status().state) {
        assert!(Instant::now() < end, "{:?}", status());
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Returns the tool with this name.
pub(crate) fn tool(servers: &Servers, name: &str) -> RemoteTool {
    let tools = servers.tools();
    let found = tools.iter().find(|tool| tool.name == name);
    found.cloned().unwrap_or_else(|| panic!("no tool {name} in {tools:?}"))
}

/// Calls a tool with a long deadline.
pub(crate) fn call(
    servers: &Servers,
    name: &str,
    arguments: Value,
) -> deskhand_client::Result<deskhand_client::RemoteResult> {
    let arguments = arguments.as_object().unwrap().clone();
    servers.call(&tool(servers, name), arguments, Instant::now() + TIMEOUT, &|| false)
}
