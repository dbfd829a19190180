//! Shared fixtures: user folders, server processes and a scripted browser.

use std::{
    fs,
    io::{Read, Write},
    net::{TcpListener, TcpStream},
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use deskhand_client::{Config, ConnectionState, RemoteTool, Servers, TokenStorage};
use harness::{Outcome, TestDesktop, interop, outcome, output_lines::first_line_with};
use serde_json::{Value, json};

/// Timeout on a busy machine.
pub(crate) const TIMEOUT: Duration = Duration::from_secs(30);

/// A process that is killed when dropped.
pub(crate) struct ServerProcess(Child);

impl ServerProcess {
    /// Starts a process and waits for a line on standard output that contains `text`.
    pub(crate) fn start_on_stdout(command: &mut Command, text: &str) -> (Self, String) {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let line = first_line_with(child.stdout.take().unwrap(), text);
        (Self(child), line)
    }

    /// Starts a process and waits for a line on standard error that contains `text`.
    fn start_on_stderr(command: &mut Command, text: &str) -> (Self, String) {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let line = first_line_with(child.stderr.take().unwrap(), text);
        (Self(child), line)
    }

    /// Kills the process.
    pub(crate) fn kill(mut self) {
        self.end();
    }

    fn end(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for ServerProcess {
    fn drop(&mut self) {
        if self.0.try_wait().unwrap().is_none() {
            self.end();
        }
    }
}

/// A free TCP port.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Starts the MCP reference server, which uses `initialize` and sessions, on a port.
pub(crate) fn everything(port: u16) -> ServerProcess {
    let program = "@modelcontextprotocol/server-everything/dist/index.js";
    let mut command = interop::node();
    command.arg(interop::module(program)).arg("streamableHttp").env("PORT", port.to_string());
    ServerProcess::start_on_stderr(&mut command, "listening").0
}

/// An authorization server.
pub(crate) struct Issuer {
    scripts: tempfile::TempDir,
    /// Its URL.
    pub(crate) url: String,
    _running: ServerProcess,
}

impl Issuer {
    pub(crate) fn start() -> Self {
        let scripts = interop::beside_packages();
        let mut command = interop::node();
        command.arg(scripts.path().join("oauth_issuer.mjs")).stderr(Stdio::null());
        let (running, url) = ServerProcess::start_on_stdout(&mut command, "http://");
        Self { scripts, url, _running: running }
    }

    /// Revokes a token.
    pub(crate) fn revoke(&self, client: &str, token: &str) {
        let form = format!("client_id={client}&token={token}");
        let host = self.url.strip_prefix("http://").unwrap();
        let mut stream = TcpStream::connect(host).unwrap();
        write!(
            stream,
            "POST /token/revocation HTTP/1.0\r\nHost: {host}\r\nContent-Length: {}\r\n\
             Content-Type: application/x-www-form-urlencoded\r\n\r\n{form}",
            form.len()
        )
        .unwrap();
        let mut answer = String::new();
        stream.read_to_string(&mut answer).unwrap();
        assert!(answer.starts_with("HTTP/1.1 200"), "{answer}");
    }
}

/// A deskhand server that requires a token of the issuer.
pub(crate) struct OauthServer {
    _stage: TestDesktop,
    /// Its URL.
    pub(crate) url: String,
    _running: ServerProcess,
}

impl OauthServer {
    pub(crate) fn start(issuer: &Issuer) -> Self {
        let stage = TestDesktop::new();
        let mut command = stage.command(outcome::binary());
        command.args(["mcp", "serve", "--http", "127.0.0.1:0"]);
        command.env("DESKHAND_HTTP_OAUTH_ISSUER", &issuer.url);
        let (running, line) = ServerProcess::start_on_stderr(&mut command, "serving at ");
        let url = line.split("serving at ").nth(1).unwrap().to_owned();
        Self { _stage: stage, url, _running: running }
    }
}

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
        let browser = self.path("browser");
        let script = issuer.scripts.path().join("browser.mjs");
        let node = interop::node();
        let node = node.get_program().to_str().unwrap();
        let log = self.path("browser.log");
        let script_text = format!(
            "#!/bin/sh\nexec {node} {} {answer} \"$1\" > {} 2>&1\n",
            script.display(),
            log.display()
        );
        fs::write(&browser, script_text).unwrap();
        fs::set_permissions(&browser, fs::Permissions::from_mode(0o700)).unwrap();
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
