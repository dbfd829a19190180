//! A client of other MCP servers: their tools are offered here, and called there.
//!
//! What they say is the word of strangers: nothing of it is shown or obeyed here.

mod answer;
mod callback;
mod config;
mod connect;
mod error;
mod http;
mod link;
mod list;
mod login;
mod name;
mod program;
mod servers;
mod storage;

pub use answer::{Answer, Kind, Outcome, Piece, Remote};
pub use config::{Config, Identity, Server, Skipped, Trust, Use};
pub use error::{Error, Result};
pub use link::State;
pub use list::{Listed, Target, list};
pub use login::{Browser, Opened, Shown, login};
pub use servers::{Servers, Status};
pub use storage::Storage;
