//! Hostile callers: a desktop with an app that must be left alone, a server before it, and calls that
//! try to get past. What is believed is the app's own word, the windows, and the log; never the
//! server's answer.

pub mod caller;
pub mod fuzzed;
pub mod harm;
pub mod judge;
pub mod rows;
pub mod scene;

pub use caller::{Caller, Door, Era};
pub use judge::Judge;
pub use rows::{Row, Step};
pub use scene::{Scene, Setup};
