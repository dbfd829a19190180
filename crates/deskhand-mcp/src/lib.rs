//! The MCP server of Deskhand: both protocol eras, over stdio, HTTP and Unix sockets.
//!
//! The crate serves the tools of an engine's catalogue and knows no tool by itself.

mod completion;
#[cfg(feature = "conformance")]
mod conformance;
#[cfg(not(feature = "conformance"))]
#[path = "no_conformance.rs"]
mod conformance;
mod error;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod http_options;
mod input;
pub mod install;
mod prompt;
mod resource;
mod server;
mod session;
mod subscription;
mod task;
mod timing;
mod tool;
mod transport;
mod wire;

use std::{
    path::Path,
    sync::{Arc, Weak},
};

use deskhand_engine::{Catalogue, Engine, Policy, SecurityMode, Toolset};
pub use error::Error;
pub use http_options::{
    BearerToken, HttpAuth, HttpLimits, HttpOptions, ListenAddress, OAuthIssuer, TlsFiles,
};
pub use server::log::LogLevel;
use server::{client::Era, state::ServerState};

/// The tools a server offers.
#[derive(Debug, Clone, Default)]
pub struct ToolSelection {
    /// Toolsets to offer. The default set is used if this is empty.
    pub toolsets: Vec<Toolset>,
    /// If not empty, only these tools are offered.
    pub only: Vec<String>,
    /// Tools that are not offered.
    pub exclude: Vec<String>,
}

/// Options of a server.
#[derive(Debug, Clone, Default)]
pub struct ServerOptions {
    /// Tools to offer.
    pub selection: ToolSelection,
    /// Offers the fixtures of the official conformance suite instead of tools.
    #[cfg(feature = "conformance")]
    pub conformance: bool,
    /// Lowest level of the log records sent to clients that have not set a level.
    pub log_level: LogLevel,
    /// A website about this server, for people.
    pub website_url: Option<String>,
}

/// An MCP server.
#[derive(Debug, Clone)]
pub struct McpServer {
    state: Arc<ServerState>,
}

impl McpServer {
    /// Creates a server that runs its calls on `engine`.
    ///
    /// # Errors
    ///
    /// Returns an error if the options name a tool that does not exist.
    pub fn new(engine: Engine, options: &ServerOptions) -> Result<Self, Error> {
        Ok(Self { state: Arc::new(ServerState::new(engine, options)?) })
    }

    /// Serves one client over standard input and output, until the client closes them or the
    /// process receives a termination signal.
    ///
    /// # Errors
    ///
    /// Returns an error if the runtime or the signal handlers cannot be started.
    pub fn serve_stdio(&self) -> Result<(), Error> {
        let served = transport::stdio::serve(&self.state);
        self.end(served)
    }

    /// Serves HTTP until the process receives a termination signal.
    ///
    /// `ready` is called with the URL of the server once it listens.
    ///
    /// # Errors
    ///
    /// Returns an error if the server cannot listen at the address, or if the options would let
    /// unauthenticated clients in from other machines.
    pub fn serve_http(&self, options: &HttpOptions, ready: impl FnOnce(&str)) -> Result<(), Error> {
        let served = transport::http::serve(&self.state, options, ready);
        self.end(served)
    }

    /// Serves JSON lines at a Unix socket that only its owner can reach, until the process receives
    /// a termination signal.
    ///
    /// `ready` is called once the server listens.
    ///
    /// # Errors
    ///
    /// Returns an error if the socket cannot be created, or if another server listens there.
    pub fn serve_unix(&self, at: &Path, ready: impl FnOnce()) -> Result<(), Error> {
        let served = transport::unix::serve(&self.state, at, ready);
        self.end(served)
    }

    /// Returns a handle that makes the security mode stricter while the server runs.
    pub fn mode_control(&self) -> ModeControl {
        ModeControl(Arc::downgrade(&self.state))
    }

    /// Ends all sessions: a call that hangs can outlive the client that made it.
    fn end(&self, served: Result<(), Error>) -> Result<(), Error> {
        self.state.engine.end_sessions();
        served
    }
}

/// Makes the security mode of a server stricter while it runs. It does not keep the server alive.
#[derive(Debug, Clone)]
pub struct ModeControl(Weak<ServerState>);

impl ModeControl {
    /// Returns `true` while the server exists.
    pub fn has_server(&self) -> bool {
        self.0.strong_count() > 0
    }

    /// Makes the security mode stricter, and tells clients that the list of tools has changed. Returns
    /// `false` if the mode already is at least as strict.
    pub fn tighten(&self, mode: SecurityMode) -> bool {
        let Some(state) = self.0.upgrade() else { return false };
        let is_stricter = state.engine.policy().tighten(mode);
        if is_stricter {
            state.tools.note_change();
        }
        is_stricter
    }
}

/// Returns the declarations of the selected tools in the form of a `tools/list` result.
///
/// # Errors
///
/// Returns an error if the selection names a tool that does not exist.
pub fn tool_declarations(
    catalogue: &Arc<Catalogue>,
    selection: &ToolSelection,
    policy: Policy,
) -> Result<serde_json::Value, Error> {
    let tools = tool::list::ToolList::select(catalogue, selection, policy)?;
    Ok(serde_json::json!(tools.declarations(&Era::Stateless, SecurityMode::Normal)))
}
