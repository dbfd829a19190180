//! Other MCP servers and an authorization server with a scripted browser.

use std::fs;
use std::io::{Read, Write};
use std::net::{TcpListener, TcpStream};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};

use crate::output_lines::first_line_with;
use crate::{TestDesktop, interop, outcome};

/// A process that is killed when dropped.
#[derive(Debug)]
pub struct ServerProcess(Child);

impl ServerProcess {
    /// Starts a process and waits for a line on standard output that contains `text`.
    pub fn start_on_stdout(command: &mut Command, text: &str) -> (Self, String) {
        let mut child = command.stdin(Stdio::null()).stdout(Stdio::piped()).spawn().unwrap();
        let line = first_line_with(child.stdout.take().unwrap(), text);
        (Self(child), line)
    }

    /// Starts a process and waits for a line on standard error that contains `text`.
    pub fn start_on_stderr(command: &mut Command, text: &str) -> (Self, String) {
        command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped());
        let mut child = command.spawn().unwrap();
        let line = first_line_with(child.stderr.take().unwrap(), text);
        (Self(child), line)
    }

    /// Kills the process.
    pub fn kill(mut self) {
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

/// Returns a free TCP port.
pub fn free_port() -> u16 {
    TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port()
}

/// Starts the MCP reference server, which uses `initialize` and sessions, on a port.
pub fn everything(port: u16) -> ServerProcess {
    let program = "@modelcontextprotocol/server-everything/dist/index.js";
    let mut command = interop::node();
    command.arg(interop::module(program)).arg("streamableHttp").env("PORT", port.to_string());
    ServerProcess::start_on_stderr(&mut command, "listening").0
}

/// An authorization server.
#[derive(Debug)]
pub struct Issuer {
    scripts: tempfile::TempDir,
    /// Its URL.
    pub url: String,
    _running: ServerProcess,
}

impl Issuer {
    /// Starts an authorization server on a free port.
    pub fn start() -> Self {
        let scripts = interop::beside_packages();
        let mut command = interop::node();
        command.arg(scripts.path().join("oauth_issuer.mjs")).stderr(Stdio::null());
        let (running, url) = ServerProcess::start_on_stdout(&mut command, "http://");
        Self { scripts, url, _running: running }
    }

    /// Revokes a token.
    pub fn revoke(&self, client: &str, token: &str) {
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

    /// Writes a browser program into a folder and returns its path. Each start gives the next answer: `yes`,
    /// `no` or `forged`.
    pub fn browser(&self, folder: &Path, answers: &[&str]) -> PathBuf {
        let path = |name: &str| folder.join(name).display().to_string();
        fs::write(path("browser-answers"), answers.join("\n")).unwrap();
        let script = format!(
            "#!/bin/sh\nanswer=$(head -n 1 '{answers}'); sed -i 1d '{answers}'\n\
             exec '{node}' '{browser}' \"$answer\" \"$1\" > '{log}' 2>&1\n",
            answers = path("browser-answers"),
            node = interop::node().get_program().to_str().unwrap(),
            browser = self.scripts.path().join("browser.mjs").display(),
            log = path("browser.log"),
        );
        let program = folder.join("browser");
        fs::write(&program, script).unwrap();
        fs::set_permissions(&program, fs::Permissions::from_mode(0o700)).unwrap();
        program
    }
}

/// A deskhand server that requires a token of the issuer.
#[derive(Debug)]
pub struct OauthServer {
    /// Its URL.
    pub url: String,
    _running: ServerProcess,
}

impl OauthServer {
    /// Starts a server on a desktop.
    pub fn start(desktop: &TestDesktop, issuer: &Issuer) -> Self {
        let mut command = desktop.command(outcome::binary());
        command.args(["mcp", "serve", "--http", "127.0.0.1:0"]);
        command.env("DESKHAND_HTTP_OAUTH_ISSUER", &issuer.url);
        let (running, line) = ServerProcess::start_on_stderr(&mut command, "serving at ");
        let url = line.split("serving at ").nth(1).unwrap().to_owned();
        Self { url, _running: running }
    }
}
