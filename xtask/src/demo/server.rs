//! An MCP client: starts `deskhand mcp serve` and exchanges JSON-RPC lines with it.
//!
//! The demo does not use the clients of the test harness, because a fresh clone would have to build that first.

use std::fs::File;
use std::io::{BufRead, BufReader, Write};
use std::path::Path;
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

use crate::error::{Error, Result};

/// Timeout for a response. Every call of Deskhand ends within 5 s.
const RESPONSE_TIMEOUT: Duration = Duration::from_secs(20);
const PROTOCOL: &str = "2025-11-25";

/// A server process, ended when dropped.
pub(super) struct Server {
    process: Child,
    input: Option<ChildStdin>,
    lines: Receiver<String>,
    last_id: u64,
}

impl Server {
    /// Starts the server and performs the handshake. `log` gets its standard error.
    pub(super) fn start(deskhand: &Path, log: &Path) -> Result<Self> {
        let log = File::create(log).map_err(Error::file(log))?;
        let mut process = Command::new(deskhand)
            .args(["mcp", "serve"])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(log)
            .spawn()
            .map_err(|source| Error::Start { program: "deskhand".to_owned(), source })?;
        let input = process.stdin.take();
        let (sender, lines) = channel();
        if let Some(output) = process.stdout.take() {
            thread::spawn(move || {
                for line in BufReader::new(output).lines().map_while(|line| line.ok()) {
                    if sender.send(line).is_err() {
                        break;
                    }
                }
            });
        }
        let mut server = Self { process, input, lines, last_id: 0 };
        let client = json!({ "name": "demo", "version": env!("CARGO_PKG_VERSION") });
        let hello =
            json!({ "protocolVersion": PROTOCOL, "capabilities": {}, "clientInfo": client });
        server.request("initialize", &hello)?;
        server.send(&json!({ "jsonrpc": "2.0", "method": "notifications/initialized" }))?;
        Ok(server)
    }

    /// Calls a tool and returns its structured result. A failed call is an error.
    pub(super) fn call(&mut self, tool: &str, arguments: &Value) -> Result<Value> {
        let response =
            self.request("tools/call", &json!({ "name": tool, "arguments": arguments }))?;
        structured_result(&response)
            .map_err(|problem| Error::Demo { problem: format!("{tool} {arguments}: {problem}") })
    }

    fn request(&mut self, method: &str, params: &Value) -> Result<Value> {
        self.last_id += 1;
        let id = self.last_id;
        self.send(&json!({ "jsonrpc": "2.0", "id": id, "method": method, "params": params }))?;
        loop {
            let line = self.lines.recv_timeout(RESPONSE_TIMEOUT).map_err(|_| Error::Demo {
                problem: format!("the server sent no response to {method}"),
            })?;
            let message: Value = serde_json::from_str(&line)
                .map_err(|error| server_problem(&format!("{error} in {line}")))?;
            // Notifications have no id.
            if message["id"] == id {
                return Ok(message);
            }
        }
    }

    fn send(&mut self, message: &Value) -> Result<()> {
        let input = self.input.as_mut().ok_or_else(|| server_problem("its input is closed"))?;
        writeln!(input, "{message}").map_err(|error| server_problem(&error.to_string()))
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // The server ends when its input closes.
        drop(self.input.take());
        // An error means that the process has ended already.
        let _ = self.process.wait();
    }
}

fn server_problem(problem: &str) -> Error {
    Error::UnexpectedOutput {
        command: "deskhand mcp serve".to_owned(),
        problem: problem.to_owned(),
    }
}

/// Returns the structured content of a response to `tools/call`, or the text of its error.
fn structured_result(response: &Value) -> std::result::Result<Value, String> {
    let result = &response["result"];
    if result["isError"] == false {
        return Ok(result["structuredContent"].clone());
    }
    let text = result["content"][0]["text"].as_str();
    Err(text.map_or_else(|| response.to_string(), str::to_owned))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn structured_content_is_the_result() {
        let content = json!({ "effect": "confirmed" });
        let response = json!({ "result": { "isError": false, "structuredContent": content } });
        assert_eq!(structured_result(&response), Ok(content));
    }

    #[test]
    fn failed_calls_are_errors_with_their_text() {
        let block = json!({ "type": "text", "text": "Error: no such app" });
        let response = json!({ "result": { "isError": true, "content": [block] } });
        assert_eq!(structured_result(&response), Err("Error: no such app".to_owned()));
        let response = json!({ "error": { "code": -32602 } });
        assert!(structured_result(&response).unwrap_err().contains("-32602"));
    }
}
