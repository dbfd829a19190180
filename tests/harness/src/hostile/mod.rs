//! Hostile callers: a desktop with an app that must be left alone, a server before it, and calls that
//! try to get past. What is believed is the app's own word, the windows, and the log; never the
//! server's answer.

pub mod raw_client;
pub mod random_calls;
pub mod protected;
pub mod gate_check;
pub mod attacks;
pub mod desktop;

pub use raw_client::{RawClient, Transport, Era};
pub use gate_check::GateCheck;
pub use attacks::{Attack, Step};
pub use desktop::{ProtectedDesktop, Setup};
