//! Support code for end-to-end tests, benchmarks and soak runs: a private desktop, real apps, the
//! built `deskhand`, an independent reader of trees and windows, and real input.
//!
//! Code in this crate panics on failure and prints what it observed.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a panic is how a test reports")]

pub mod actions;
pub mod app;
pub mod inspect;
pub mod termination;
pub mod escapes;
pub mod hostile;
pub mod input;
pub mod interop;
pub mod mcp;
pub mod outcome;
pub mod pixels;
pub mod program;
pub mod ref_stability;
pub mod tree;
pub mod test_desktop;
pub mod tasks;
pub mod reference_walk;
pub mod event_recorder;

pub use app::App;
pub use outcome::Outcome;
pub use program::Program;
pub use tree::{Element, Tree};
pub use test_desktop::TestDesktop;
