//! Runs programs in a sandbox that the kernel enforces. Programs can read and write one folder (the
//! scope), can read the system's own files, and see nothing else of the machine.
//!
//! A [`Plan`] states what is allowed. A [`Sandbox`] applies the plan to every program that is started
//! through it, and to all their descendants. Each program runs in its own [`Container`]; all its processes
//! end when the container ends.

mod error;
mod lookup;
mod plan;
#[cfg(target_os = "linux")]
#[path = "linux/mod.rs"]
mod platform;
#[cfg(target_os = "macos")]
#[path = "macos/mod.rs"]
mod platform;
mod probe;
mod quote;
mod request;
#[cfg(any(target_os = "macos", test))]
mod seatbelt;
mod toolchains;

pub use error::Error;
pub use plan::{Network, Plan, ResourceLimits};
pub use platform::{Container, PreparedShell, Pty, Sandbox, run_broker};
pub use request::{BrokerCommand, Enforcement, ExitReason, Request, Script, TerminalSize};
