//! App rules (`[apps]` in `security.toml`): apps that must not be read or written.
#![allow(clippy::unwrap_used, reason = "tests")]

mod denied_apps;
mod matching;
mod write_blocked_apps;
