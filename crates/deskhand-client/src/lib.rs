//! A client of other MCP servers. Their tools are offered by Deskhand, and calls are forwarded to them.
//!
//! Everything that another server sends is untrusted: this crate neither displays nor interprets it.

mod bounded_http;
mod callback;
mod child;
mod config;
mod connect;
mod connection;
mod error;
mod list_tools;
mod login;
mod remote;
mod servers;
mod timing;
mod token_storage;
mod tool_name;

pub use config::{Activation, Config, OAuthClient, ServerConfig, SkippedServer, Trust};
pub use connection::ConnectionState;
pub use error::{Error, Result};
pub use list_tools::{ListTarget, ToolDescription, list_tools};
pub use login::{Browser, BrowserOpened, ShowAddress, login};
pub use remote::{RemoteContent, RemoteEffect, RemoteResult, RemoteStatus, RemoteTool};
pub use servers::{ServerStatus, Servers};
pub use token_storage::TokenStorage;
