//! A server on standard streams.

use std::{
    collections::HashSet,
    io::{BufRead, BufReader, Write},
    process::{Child, ChildStdin, ChildStdout, Stdio},
    time::Instant,
};

use harness::{TestDesktop, outcome};
use serde_json::{Value, json};
use tempfile::TempDir;

use crate::error::{Error, Result};

/// The tools of the server.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tools {
    /// Desktop tools.
    Desktop,
    /// Desktop tools and command-line tools.
    Cli,
}

/// A server process and its client.
pub(super) struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
    /// Time from the start to the response to `initialize`.
    pub(super) started_ms: f64,
    _scope: TempDir,
}

impl Server {
    /// Starts a server and performs the handshake.
    pub(super) fn start(desktop: &TestDesktop, tools: Tools) -> Result<Self> {
        let scope = tempfile::tempdir().map_err(Error::system("a folder"))?;
        let mut command = desktop.command(outcome::binary());
        command.args(["mcp", "serve", "--toolsets"]);
        match tools {
            Tools::Desktop => command.arg("ax"),
            Tools::Cli => command.arg("ax,cli").arg("--sandbox-scope").arg(scope.path()),
        };
        command.env("DESKHAND_COMMANDS_AT_ONCE", super::CONCURRENT_COMMANDS.to_string());
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let started = Instant::now();
        let mut child = command.spawn().map_err(Error::system("deskhand"))?;
        let (input, output) =
            child.stdin.take().zip(child.stdout.take()).ok_or_else(connection_lost)?;
        let output = BufReader::new(output);
        let mut server = Self { child, input, output, next: 1, started_ms: 0.0, _scope: scope };
        let client = json!({ "name": "bench", "version": "1" });
        server.request(
            "initialize",
            &json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client }),
        )?;
        server.started_ms = started.elapsed().as_secs_f64() * 1e3;
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        // Log messages are turned off, as for a client that does not show them.
        server.request("logging/setLevel", &json!({ "level": "emergency" }))?;
        Ok(server)
    }

    /// Runs a command until it ends.
    pub(super) fn run(&mut self, command: &str) -> Result<()> {
        self.run_many(command, 1, 1)
    }

    /// Runs a command `times` times, up to `at_once` concurrently.
    pub(super) fn run_many(&mut self, command: &str, at_once: usize, times: usize) -> Result<()> {
        let (mut open, mut started) = (HashSet::new(), 0);
        while started < times || !open.is_empty() {
            while started < times && open.len() < at_once {
                open.insert(self.begin("tools/call", &call(command))?);
                started += 1;
            }
            let answer = self.answer()?;
            let is_ours = answer["id"].as_u64().is_some_and(|id| open.remove(&id));
            if !is_ours || answer["result"]["isError"] != false {
                return Err(Error::Server(answer.to_string()));
            }
        }
        Ok(())
    }

    /// Returns the process id.
    pub(super) fn pid(&self) -> u32 {
        self.child.id()
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        let id = self.begin(method, params)?;
        let answer = self.answer()?;
        if answer["id"] != id || answer.get("result").is_none() {
            return Err(Error::Server(answer.to_string()));
        }
        Ok(answer)
    }

    fn begin(&mut self, method: &str, params: &Value) -> Result<u64> {
        let id = self.next;
        self.next += 1;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        Ok(id)
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        self.input.write_all(format!("{message}\n").as_bytes()).map_err(|_| connection_lost())
    }

    /// Returns the next response and skips notifications.
    fn answer(&mut self) -> Result<Value> {
        loop {
            let mut line = String::new();
            if self.output.read_line(&mut line).map_err(|_| connection_lost())? == 0 {
                return Err(connection_lost());
            }
            let message: Value = serde_json::from_str(&line)?;
            if message.get("method").is_none() {
                return Ok(message);
            }
        }
    }
}

fn call(command: &str) -> Value {
    let arguments = json!({ "command": command, "execution_mode": "Synchronous" });
    json!({ "name": "sandboxed_shell", "arguments": arguments })
}

fn connection_lost() -> Error {
    Error::Server("the connection was lost".to_owned())
}

impl Drop for Server {
    fn drop(&mut self) {
        // The process may have exited.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
