//! Command-line tools: how they are declared in files, how they run in the background, and what
//! becomes of their output. What holds them is the sandbox's business, who may call them the
//! engine's.

mod availability;
mod claim;
mod error;
mod floor;
pub mod folder;
mod id;
pub mod mtdf;
pub mod operation;
pub mod output;
mod shop;
pub mod terminal;
mod workshop;

pub use availability::{Checks, Sorted};
pub use deskhand_sandbox::{Bounds, Broker, How, Network, Size, broker};
pub use error::Error;
pub use shop::{Setup, Shop};
pub use workshop::{Awaited, Filter, Workshop};
