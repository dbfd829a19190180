//! The macOS backend: Seatbelt through `sandbox-exec`, and sessions.
//!
//! The server starts programs itself. The broker only waits for the end of the server and then kills what is
//! left. macOS has no kernel object that contains all processes of a program, but each process keeps its profile:
//! a process that left its session, its parents and its environment is found by what its profile allows.

mod broker;
mod container;
mod processes;
mod pty;
mod sandbox;
mod shell;
mod start;
mod timing;

pub use broker::run_broker;
pub use container::Container;
pub use pty::Pty;
pub use sandbox::Sandbox;
pub use shell::PreparedShell;
