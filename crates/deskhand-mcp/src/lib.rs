//! The MCP server: the protocol of both eras over the engine's catalogue. It knows the catalogue
//! and no tool.

mod ask;
mod complete;
mod conformance;
mod error;
pub mod install;
mod prompt;
mod resource;
mod server;
mod session;
mod task;
mod tool;
mod transport;
mod watch;
mod wire;

use std::{
    net::SocketAddr,
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use deskhand_engine::{Catalogue, Engine, Toolset};
pub use error::Error;
use server::{client::Era, state::State};

/// Which tools are offered.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// The sets to offer; the usual one when empty.
    pub toolsets: Vec<Toolset>,
    /// These tools alone, when there are any.
    pub only: Vec<String>,
    /// Not these.
    pub without: Vec<String>,
    /// Only tools that change nothing.
    pub read_only: bool,
}

/// How a server is set up.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Which tools are offered.
    pub selection: Selection,
    /// Offers the fixtures of the official conformance suite instead of tools.
    pub conformance: bool,
}

/// Where HTTP is served.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Place {
    /// At an address of this machine.
    Address(SocketAddr),
    /// At a unix socket that only its owner can reach.
    Socket(PathBuf),
}

/// How HTTP is served: Streamable HTTP at `/mcp`, `/health` and `/metrics` always.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Web {
    /// Where.
    pub at: Place,
    /// Serves HTTP+SSE of 2024-11-05 as well, at `/sse` and `/messages`, `/events` and `/message`.
    pub sse: bool,
    /// How often a silent stream shows that it lives.
    pub heartbeat: Duration,
    /// How long a session without any sign of its client is kept.
    pub idle: Duration,
}

/// A server that is ready to serve.
#[derive(Debug, Clone)]
pub struct Server {
    state: Arc<State>,
}

impl Server {
    /// A server on an engine.
    ///
    /// # Errors
    ///
    /// When the options name tools that do not exist.
    pub fn new(engine: Engine, options: &Options) -> Result<Self, Error> {
        Ok(Self { state: Arc::new(State::new(engine, options)?) })
    }

    /// Serves one client on the standard streams, until it closes them or the process is asked to
    /// end.
    ///
    /// # Errors
    ///
    /// When the process cannot start what serving needs.
    pub fn serve_stdio(&self) -> Result<(), Error> {
        transport::stdio::serve(&self.state)
    }

    /// Serves HTTP, until the process is asked to end; `ready` is told where it listens.
    ///
    /// # Errors
    ///
    /// When the place cannot be listened at, or can be reached from other machines.
    pub fn serve_http(&self, web: &Web, ready: impl FnOnce(&str)) -> Result<(), Error> {
        transport::http::serve(&self.state, web, ready)
    }

    /// Serves lines of JSON at a unix socket that only its owner can reach, until the process is asked
    /// to end; `ready` is called when clients can come.
    ///
    /// # Errors
    ///
    /// When the socket cannot be made, or another server listens there.
    pub fn serve_unix(&self, at: &Path, ready: impl FnOnce()) -> Result<(), Error> {
        transport::unix::serve(&self.state, at, ready)
    }
}

/// The declarations of the tools that would be offered, as `tools/list` answers them.
///
/// # Errors
///
/// When the selection names tools that do not exist.
pub fn declarations(selection: &Selection) -> Result<serde_json::Value, Error> {
    let tools = tool::list::Tools::selected(&Catalogue::all(), selection)?;
    Ok(serde_json::json!(tools.declared(&Era::Modern)))
}
