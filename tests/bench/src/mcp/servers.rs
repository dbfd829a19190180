//! Who is measured: the server, and the smallest servers of the two official SDKs.

use std::{
    io::{BufRead, BufReader},
    path::PathBuf,
    process::{Child, Command, Stdio},
    time::Instant,
};

use harness::{TestDesktop, interop, outcome};
use serde::Serialize;
use serde_json::{Value, json};

use super::client::Client;
use crate::error::{Error, Result};
use crate::root;

/// Whose server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) enum Implementation {
    /// Ours, with all its tools on a real desktop.
    Deskhand,
    /// The TypeScript SDK's.
    TypeScript,
    /// The Python SDK's.
    Python,
}

/// How clients come.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) enum Transport {
    /// By the standard streams.
    Stdio,
    /// By Streamable HTTP.
    Http,
}

impl Implementation {
    /// All of them, ours first.
    pub(crate) const ALL: [Self; 3] = [Self::Deskhand, Self::TypeScript, Self::Python];

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Deskhand => "deskhand",
            Self::TypeScript => "TypeScript SDK",
            Self::Python => "Python SDK",
        }
    }

    /// A call of a small tool of it.
    pub(crate) fn call(self) -> Value {
        let name = match self {
            Self::Deskhand => "ax_session_info",
            Self::TypeScript | Self::Python => "session_info",
        };
        json!({ "name": name, "arguments": {} })
    }

    fn command(self, desktop: &TestDesktop, transport: Transport) -> Command {
        let peer = |program: Command, script: &str| {
            let mut command = desktop.command(program.get_program());
            command.arg(root().join("tests/peers").join(script));
            command.arg(match transport {
                Transport::Stdio => "stdio",
                Transport::Http => "http",
            });
            command
        };
        match self {
            Self::Deskhand => {
                let mut command = desktop.command(outcome::binary());
                command.args(["mcp", "serve"]);
                if transport == Transport::Http {
                    command.args(["--http", "127.0.0.1:0"]);
                }
                command
            }
            Self::TypeScript => {
                let mut command = peer(interop::node(), "mcp_server.mjs");
                command.arg(modules());
                command
            }
            Self::Python => peer(interop::python(), "mcp_server.py"),
        }
    }
}

fn modules() -> PathBuf {
    interop::folder().join("package.json")
}

impl Transport {
    /// Both of them.
    pub(crate) const ALL: [Self; 2] = [Self::Stdio, Self::Http];

    /// Its name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "HTTP",
        }
    }
}

/// A server that runs; it ends with this.
pub(crate) struct RunningServer {
    child: Child,
    address: Option<String>,
}

impl RunningServer {
    /// Starts a server and a first client; also returns how long it took to the first answer, in
    /// milliseconds.
    pub(crate) fn start(implementation: Implementation, transport: Transport, desktop: &TestDesktop) -> Result<(Self, Client, f64)> {
        let mut command = implementation.command(desktop, transport);
        command.stdin(Stdio::piped()).stdout(Stdio::piped());
        command.stderr(if transport == Transport::Http { Stdio::piped() } else { Stdio::null() });
        let started = Instant::now();
        let child = command.spawn().map_err(Error::system(implementation.name()))?;
        let mut running = Self { child, address: None };
        let client = match transport {
            Transport::Stdio => Client::on_pipes(&mut running.child)?,
            Transport::Http => {
                running.address = Some(running.read_address()?);
                running.client()?
            }
        };
        Ok((running, client, started.elapsed().as_secs_f64() * 1e3))
    }

    /// Another client, where more than one can come.
    pub(crate) fn client(&self) -> Result<Client> {
        let none = || Error::Server("it serves one client alone".to_owned());
        Client::over_http(self.address.as_deref().ok_or_else(none)?)
    }

    /// How much memory it holds, in kilobytes.
    pub(crate) fn rss_kb(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
    }

    /// Where it says it listens.
    fn read_address(&mut self) -> Result<String> {
        let none = || Error::Server("it does not say where it listens".to_owned());
        let said = BufReader::new(self.child.stderr.take().ok_or_else(none)?);
        for line in said.lines().map_while(std::result::Result::ok) {
            let at = line.split("http://").nth(1).and_then(|rest| rest.split('/').next());
            if let Some(at) = at {
                return Ok(at.trim().to_owned());
            }
        }
        Err(none())
    }
}

impl Drop for RunningServer {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
