//! macOS: Seatbelt, by `sandbox-exec`, and sessions.
//!
//! A server starts programs itself; a broker only waits for the server's end, to end what it left. No
//! kernel object holds all processes of a program together here, but its profile does: whoever leaves session,
//! parents and variables behind is found by what that allows.

mod broker;
mod cell;
mod processes;
mod sandbox;
mod shell;
mod start;
mod terminal;

pub use broker::broker;
pub use cell::Cell;
pub use sandbox::Sandbox;
pub use shell::Shell;
pub use terminal::Terminal;
