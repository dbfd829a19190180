//! The server as clients of its standard streams meet it, with limits for agents switched off.

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

/// Which tools it has.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tools {
    /// Those of the desktop.
    Desktop,
    /// Those of the command line as well.
    Cli,
}

/// A server and its client.
pub(super) struct Server {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    next: u64,
    /// From its start to the answer to `initialize`.
    pub(super) started_ms: f64,
    _scope: TempDir,
}

impl Server {
    /// Starts one.
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
        let (input, output) = child.stdin.take().zip(child.stdout.take()).ok_or_else(connection_lost)?;
        let output = BufReader::new(output);
        let mut server = Self { child, input, output, next: 1, started_ms: 0.0, _scope: scope };
        let client = json!({ "name": "bench", "version": "1" });
        server.request(
            "initialize",
            &json!({ "protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": client }),
        )?;
        server.started_ms = started.elapsed().as_secs_f64() * 1e3;
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        // A client that does not show what is logged does not have it sent.
        server.request("logging/setLevel", &json!({ "level": "emergency" }))?;
        Ok(server)
    }

    /// Runs a command to its end.
    pub(super) fn run(&mut self, command: &str) -> Result<()> {
        self.run_many(command, 1, 1)
    }

    /// Runs a command so many times, some of them at once.
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

    /// Its process.
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

    /// The next answer; what is told besides is passed over.
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
    Error::Server("the connection broke".to_owned())
}

impl Drop for Server {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
