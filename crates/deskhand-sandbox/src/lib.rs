//! Runs programs in a scope the kernel enforces: what lies in it may be read and written, the system
//! may be read, everything else is not there.
//!
//! A [`Plan`] says what holds; a [`Sandbox`] holds it for everything started through it, and whatever
//! that starts. Nothing here trusts the programs: each runs in a cell of its own, and ends with it.

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
pub use plan::{Bounds, Network, Plan};
pub use platform::{Cell, Sandbox, Shell, Terminal, broker};
pub use request::{Broker, Ended, How, Request, Script, Size};
