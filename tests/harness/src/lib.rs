//! A stage for end-to-end tests: a private desktop, real apps on it, the built `deskhand`, an
//! independent reader, a real pointer and keyboard.
//!
//! Everything here serves tests and measurements: what fails panics and says what was seen.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a panic is how a test reports")]

pub mod actions;
pub mod app;
pub mod desk;
pub mod endings;
pub mod escapes;
pub mod hostile;
pub mod input;
pub mod interop;
pub mod mcp;
pub mod outcome;
pub mod pixels;
pub mod program;
pub mod refs_storm;
pub mod seen;
pub mod stage;
pub mod tasks;
pub mod walk;
pub mod witness;

pub use app::App;
pub use outcome::Outcome;
pub use program::Program;
pub use seen::{Seen, Tree};
pub use stage::Stage;
