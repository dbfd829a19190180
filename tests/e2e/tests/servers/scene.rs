//! What the tests have in common: a person's folders, servers that live and die, a browser.

use std::{
    fs,
    io::{BufRead, BufReader, Read, Write},
    net::{TcpListener, TcpStream},
    os::unix::fs::PermissionsExt,
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::{Duration, Instant},
};

use deskhand_client::{Config, Remote, Servers, State, Storage};
use harness::{Outcome, Stage, interop, outcome};
use serde_json::{Value, json};

/// How long something may take on a busy machine.
pub(crate) const PATIENCE: Duration = Duration::from_secs(30);

/// A program that ends with the test.
pub(crate) struct Running(Child);

impl Running {
    /// Starts a program and waits for a line on its standard output.
    pub(crate) fn speaking(command: &mut Command, has: &str) -> (Self, String) {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let line = heard(child.stdout.take().unwrap(), has);
        (Self(child), line)
    }

    /// The same, where it speaks on standard error.
    fn complaining(command: &mut Command, has: &str) -> (Self, String) {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let line = heard(child.stderr.take().unwrap(), has);
        (Self(child), line)
    }

    /// Kills it.
    pub(crate) fn kill(mut self) {
        self.end();
    }

    fn end(&mut self) {
        self.0.kill().unwrap();
        self.0.wait().unwrap();
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        if self.0.try_wait().unwrap().is_none() {
            self.end();
        }
    }
}

/// The first line with some words; the rest is read too, since a program may not outlive a closed pipe.
fn heard(from: impl Read + Send + 'static, has: &str) -> String {
    let mut lines = BufReader::new(from).lines().map_while(Result::ok);
    let line = lines.find(|line| line.contains(has));
    std::thread::spawn(move || lines.for_each(drop));
    line.unwrap_or_else(|| panic!("it does not say {has}"))
}

/// A port nobody listens on now.
pub(crate) fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// The reference server of another project on a port: an era of handshakes and sessions.
pub(crate) fn everything(port: u16) -> Running {
    let program = "@modelcontextprotocol/server-everything/dist/index.js";
    let mut command = interop::node();
    command.arg(interop::module(program)).arg("streamableHttp").env("PORT", port.to_string());
    Running::complaining(&mut command, "listening").0
}

/// The authorization server, and where it is.
pub(crate) struct Issuer {
    scripts: tempfile::TempDir,
    /// Its address.
    pub(crate) at: String,
    _running: Running,
}

impl Issuer {
    pub(crate) fn start() -> Self {
        let scripts = interop::beside_packages();
        let mut command = interop::node();
        command.arg(scripts.path().join("issuer.mjs")).stderr(Stdio::null());
        let (running, at) = Running::speaking(&mut command, "http://");
        Self { scripts, at, _running: running }
    }

    /// Takes a token back.
    pub(crate) fn revokes(&self, client: &str, token: &str) {
        let form = format!("client_id={client}&token={token}");
        let host = self.at.strip_prefix("http://").unwrap();
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

/// Our own server on a desktop: no handshake, and nobody without a token of the issuer.
pub(crate) struct Desk {
    _stage: Stage,
    /// Its address.
    pub(crate) at: String,
    _running: Running,
}

impl Desk {
    pub(crate) fn start(issuer: &Issuer) -> Self {
        let stage = Stage::new();
        let mut command = stage.command(outcome::binary());
        command.args(["mcp", "serve", "--http", "127.0.0.1:0"]);
        command.env("DESKHAND_HTTP_OAUTH_ISSUER", &issuer.at);
        let (running, line) = Running::complaining(&mut command, "serving at ");
        let at = line.split("serving at ").nth(1).unwrap().to_owned();
        Self { _stage: stage, at, _running: running }
    }
}

/// The folders of a person.
pub(crate) struct Home {
    folder: tempfile::TempDir,
}

impl Home {
    /// Those of a person with servers.
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

    /// Runs `deskhand` for the person.
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

    /// Logs in with a browser at which somebody answers so.
    pub(crate) fn logs_in(&self, issuer: &Issuer, server: &str, answer: &str) -> Outcome {
        let browser = self.path("browser");
        let script = issuer.scripts.path().join("browser.mjs");
        let node = interop::node();
        let node = node.get_program().to_str().unwrap();
        let log = self.path("browser.log");
        let text = format!(
            "#!/bin/sh\nexec {node} {} {answer} \"$1\" > {} 2>&1\n",
            script.display(),
            log.display()
        );
        fs::write(&browser, text).unwrap();
        fs::set_permissions(&browser, fs::Permissions::from_mode(0o700)).unwrap();
        let mut command = self.command(&["servers", "login", server, "--timeout", "30"]);
        Outcome::of(command.env("BROWSER", browser))
    }

    /// The only file of tokens.
    pub(crate) fn tokens(&self) -> PathBuf {
        let entries = fs::read_dir(self.path("data/servers")).unwrap();
        let files = entries.map(|entry| entry.unwrap().path());
        let mut files: Vec<_> =
            files.filter(|path| path.extension().is_some_and(|it| it == "json")).collect();
        assert_eq!(files.len(), 1, "{files:?}");
        files.remove(0)
    }

    /// The servers of the person, in this process.
    pub(crate) fn servers(&self) -> Servers {
        let text = fs::read_to_string(self.path("config/mcp.json")).unwrap();
        let config = Config::parse(&text, "mcp.json", &|_| None).unwrap();
        Servers::open(&config, &Storage::new(self.path("data/servers"))).unwrap()
    }
}

/// Waits until a server is as it should be.
pub(crate) fn until(servers: &Servers, name: &str, fits: impl Fn(&State) -> bool) {
    let end = Instant::now() + PATIENCE;
    let now = || servers.status().into_iter().find(|one| one.server == name).unwrap();
    while !fits(&now().state) {
        assert!(Instant::now() < end, "{:?}", now());
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// The tool of a name.
pub(crate) fn tool(servers: &Servers, name: &str) -> Remote {
    let tools = servers.tools();
    let found = tools.iter().find(|tool| tool.name == name);
    found.cloned().unwrap_or_else(|| panic!("no {name} in {tools:?}"))
}

/// Calls a tool, with time enough.
pub(crate) fn call(
    servers: &Servers,
    name: &str,
    arguments: Value,
) -> deskhand_client::Result<deskhand_client::Answer> {
    let arguments = arguments.as_object().unwrap().clone();
    servers.call(&tool(servers, name), arguments, Instant::now() + PATIENCE, &|| false)
}
