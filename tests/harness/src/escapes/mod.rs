//! Attempts to escape the sandbox scope, made by commands of a real server. Files, listeners and
//! processes outside the sandbox show which attempts succeeded.

mod listeners;
mod fixture;
mod runner;
mod symlink_race;
pub mod attempts;

pub use fixture::{Confinement, SandboxFixture};
pub use runner::{TargetFolder, AttemptRunner, EscapeReport};
pub use attempts::{Attempt, Control, NetworkAccess, Detection};
