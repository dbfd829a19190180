//! Attacks on the policy checks: a desktop with protected apps, a server, and calls that try to
//! bypass its policy. Only the app's own reports, the windows and the audit log count as evidence,
//! never the server's responses.

pub mod attacks;
pub mod desktop;
pub mod gate_check;
pub mod protected;
pub mod random_calls;
pub mod raw_client;

pub use attacks::{Attack, Step};
pub use desktop::{ProtectedDesktop, Setup};
pub use gate_check::GateCheck;
pub use raw_client::{Era, RawClient, Transport};
