//! The matrix of actions: every toolkit, widget, action and situation, judged by the app itself.
//!
//! A cell runs the built `deskhand` on a window of `tests/apps/matrix` and compares its answer with
//! what the window's own signal handlers wrote. Our own answer is never the proof.

pub mod answer;
pub mod cases;
pub mod cell;
pub mod judge;
pub mod limits;
pub mod oracle;
pub mod report;
pub mod run;
pub mod sentinel;
mod server;
pub mod toolkit;
mod window;

pub use cell::{Case, Reach, Situation};
pub use report::Report;
pub use run::{Leg, Row, run};
pub use toolkit::Toolkit;
