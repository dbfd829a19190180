//! The MCP server: the protocol of both eras over the engine's catalogue. It knows the catalogue
//! and no tool.

mod ask;
mod complete;
mod conformance;
mod error;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
pub mod install;
mod prompt;
mod resource;
mod server;
mod session;
mod task;
mod tool;
mod transport;
mod watch;
mod web;
mod wire;

use std::{path::Path, sync::Arc};

use deskhand_engine::{Catalogue, Engine, Mode, Policy, Toolset};
pub use error::Error;
pub use server::log::Level;
use server::{client::Era, state::State};
pub use web::{Access, Authority, Bounds, Certificate, Place, Token, Web};

/// Which tools are offered.
#[derive(Debug, Clone, Default)]
pub struct Selection {
    /// The sets to offer; the usual one when empty.
    pub toolsets: Vec<Toolset>,
    /// These tools alone, when there are any.
    pub only: Vec<String>,
    /// Not these.
    pub without: Vec<String>,
}

/// How a server is set up.
#[derive(Debug, Clone, Default)]
pub struct Options {
    /// Which tools are offered.
    pub selection: Selection,
    /// Offers the fixtures of the official conformance suite instead of tools.
    pub conformance: bool,
    /// From which level on clients hear log records until they say otherwise.
    pub log_level: Level,
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
        let served = transport::stdio::serve(&self.state);
        self.end(served)
    }

    /// Serves HTTP, until the process is asked to end; `ready` is told where it listens.
    ///
    /// # Errors
    ///
    /// When the place cannot be listened at, or others than those who may would get in.
    pub fn serve_http(&self, web: &Web, ready: impl FnOnce(&str)) -> Result<(), Error> {
        let served = transport::http::serve(&self.state, web, ready);
        self.end(served)
    }

    /// Serves lines of JSON at a unix socket that only its owner can reach, until the process is asked
    /// to end; `ready` is called when clients can come.
    ///
    /// # Errors
    ///
    /// When the socket cannot be made, or another server listens there.
    pub fn serve_unix(&self, at: &Path, ready: impl FnOnce()) -> Result<(), Error> {
        let served = transport::unix::serve(&self.state, at, ready);
        self.end(served)
    }

    /// Ends whatever runs for anybody: a call that hangs may hold its session beyond the end of its
    /// client.
    fn end(&self, served: Result<(), Error>) -> Result<(), Error> {
        self.state.engine.end_sessions();
        served
    }
}

/// The declarations of the tools of a catalogue that would be offered, as `tools/list` answers them.
///
/// # Errors
///
/// When the selection names tools that do not exist.
pub fn declarations(
    catalogue: &Arc<Catalogue>,
    selection: &Selection,
    policy: Policy,
) -> Result<serde_json::Value, Error> {
    let tools = tool::list::Tools::selected(catalogue, selection, policy)?;
    Ok(serde_json::json!(tools.declared(&Era::Modern, Mode::Normal)))
}
