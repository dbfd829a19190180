//! The matrix of actions: every toolkit, widget, action and situation, judged by the app itself.
//!
//! A cell runs the built `deskhand` on a window of `tests/apps/matrix` and compares its answer with
//! what the window's own signal handlers wrote. Our own answer is never the proof.

pub mod answer;
pub mod cases;
pub mod case;
pub mod judge;
pub mod limits;
pub mod oracle;
pub mod report;
pub mod run;
pub mod user;
mod page_server;
pub mod toolkit;
mod window_manager;

pub use case::{Case, Feasibility, Situation};
pub use report::Report;
pub use run::{CaseFilter, CaseResult, run};
pub use toolkit::Toolkit;
