//! Command-line tools: their definitions in JSON files, their execution in the background, and their output.
//! The sandbox crate confines them; the engine decides who may call them.

mod availability;
mod client_scope;
mod error;
pub mod folder;
mod id;
pub mod mtdf;
pub mod operation;
pub mod output;
mod service;
mod session;
mod session_sandbox;
pub mod terminal;
mod timing;

pub use availability::{AvailabilityChecks, CheckedTools};
pub use deskhand_sandbox::{
    BrokerCommand, Enforcement, Network, ResourceLimits, TerminalSize, run_broker,
};
pub use error::Error;
pub use service::{CommandService, ServiceConfig};
pub use session::{AwaitResult, CommandSession, OperationFilter};
