//! The action matrix: every combination of toolkit, widget, action and situation, checked against
//! the app itself.
//!
//! Each case runs the built `deskhand` on a window of `tests/apps/matrix` and compares the reported
//! effect with the log that the window's signal handlers write. Deskhand's own output never counts
//! as proof.

pub mod answer;
pub mod case;
pub mod cases;
pub mod judge;
pub mod limits;
pub mod oracle;
mod page_server;
pub mod report;
pub mod run;
pub mod toolkit;
pub mod user;
mod window_manager;

pub use case::{Case, Feasibility, Situation};
pub use report::Report;
pub use run::{CaseFilter, CaseResult, run};
pub use toolkit::Toolkit;
