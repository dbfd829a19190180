//! Assembles Deskhand's MCP server from the user's settings: endpoint, tools, command-line tools, and
//! the tools of other servers.

mod definitions;
mod endpoint;
mod message;
mod mode_watch;
pub mod other_servers;
mod server;
mod timing;
mod tools;

pub use endpoint::Endpoint;
pub use message::{Notify, ServerMessage};
pub use server::{Offer, Server, check};
pub use timing::SERVER_STATUS_TIMEOUT;
pub use tools::{serves_only_commands, tool_declarations};
