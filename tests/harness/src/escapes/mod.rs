//! Attempts to escape the sandbox scope, made by commands of a real server. Files, listeners and
//! processes outside the sandbox show which attempts succeeded.

pub mod attempts;
mod fixture;
mod listeners;
mod runner;
mod symlink_race;

pub use attempts::{Attempt, Control, Detection, NetworkAccess};
pub use fixture::{Confinement, SandboxFixture};
pub use runner::{AttemptRunner, EscapeReport, TargetFolder};
