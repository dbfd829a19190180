//! The measured servers: Deskhand and minimal servers of the two official SDKs.

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

/// A server implementation.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) enum Implementation {
    /// Deskhand, with all its tools on a real desktop.
    Deskhand,
    /// The TypeScript SDK.
    TypeScript,
    /// The Python SDK.
    Python,
}

/// The transport between client and server.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub(crate) enum Transport {
    /// Standard input and output.
    Stdio,
    /// Streamable HTTP.
    Http,
}

impl Implementation {
    /// All implementations, Deskhand first.
    pub(crate) const ALL: [Self; 3] = [Self::Deskhand, Self::TypeScript, Self::Python];

    /// The accessible name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Deskhand => "deskhand",
            Self::TypeScript => "TypeScript SDK",
            Self::Python => "Python SDK",
        }
    }

    /// Returns the parameters of a call to a small tool.
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
    /// Both transports.
    pub(crate) const ALL: [Self; 2] = [Self::Stdio, Self::Http];

    /// The accessible name.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Stdio => "stdio",
            Self::Http => "HTTP",
        }
    }
}

/// A running server. Dropping it kills the process.
pub(crate) struct RunningServer {
    child: Child,
    address: Option<String>,
}

impl RunningServer {
    /// Starts a server and a first client. Also returns the time to the first response in
    /// milliseconds.
    pub(crate) fn start(
        implementation: Implementation,
        transport: Transport,
        desktop: &TestDesktop,
    ) -> Result<(Self, Client, f64)> {
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

    /// Connects another client. Only works over HTTP.
    pub(crate) fn client(&self) -> Result<Client> {
        let none = || Error::Server("stdio supports one client only".to_owned());
        Client::over_http(self.address.as_deref().ok_or_else(none)?)
    }

    /// Returns the resident memory in kilobytes.
    pub(crate) fn rss_kb(&self) -> u64 {
        let status = std::fs::read_to_string(format!("/proc/{}/status", self.child.id()));
        let status = status.unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.split_whitespace().next()?.parse().ok()).unwrap_or(0)
    }

    /// Reads the listening address from standard error.
    fn read_address(&mut self) -> Result<String> {
        let none = || Error::Server("the server did not print its address".to_owned());
        let stderr = BufReader::new(self.child.stderr.take().ok_or_else(none)?);
        for line in stderr.lines().map_while(std::result::Result::ok) {
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
        // The process may have exited.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}
