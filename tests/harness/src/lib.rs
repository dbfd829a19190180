//! Support code for end-to-end tests, benchmarks and soak runs: a private desktop, real apps, the
//! built `deskhand`, an independent reader of trees and windows, and real input.
//!
//! Code in this crate panics on failure and prints what it observed.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests report by panicking")]

pub mod actions;
pub mod app;
pub mod escapes;
pub mod event_recorder;
pub mod hostile;
pub mod http_server;
pub mod input;
pub mod inspect;
pub mod interop;
pub mod mcp;
pub mod outcome;
pub mod output_lines;
pub mod pixels;
pub mod program;
pub mod ref_stability;
pub mod reference_walk;
pub mod remote_servers;
pub mod stdio_server;
pub mod tasks;
pub mod termination;
pub mod test_desktop;
mod timing;
pub mod tree;

pub use app::App;
pub use outcome::Outcome;
pub use program::Program;
pub use test_desktop::TestDesktop;
pub use tree::{Element, Tree};
