//! Attempts to get out of the scope, made by commands of the real server and judged by what is outside:
//! files, listeners, the table of processes.

mod listeners;
mod fixture;
mod runner;
mod symlink_race;
pub mod attempts;

pub use fixture::{Confinement, SandboxFixture};
pub use runner::{TargetFolder, AttemptRunner, EscapeReport};
pub use attempts::{Attempt, Control, NetworkAccess, Detection};
