//! Fuzz targets for everything that reads what others wrote, and a runner that feeds them.
//!
//! A target takes bytes. It must come back: not panic, not hang, not take memory without bound. Where
//! a promise can be checked on any input, it checks that as well.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a panic is how a target reports")]

pub mod corpus;
pub mod mutate;
pub mod runner;
mod targets;

/// Something that reads what others wrote.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// Its name, which is also the folder of its corpus.
    pub name: &'static str,
    /// Takes bytes, and panics when a promise is broken.
    pub run: fn(&[u8]),
    /// Words its language knows.
    pub words: &'static [&'static str],
    /// How many changed inputs a test feeds it.
    pub rounds: usize,
}

/// Every target, sorted by name.
pub const TARGETS: &[Target] = &[
    targets::approvals::BY_HAND,
    targets::approvals::KEPT,
    targets::arguments::TARGET,
    targets::files::CLIENT_SETTINGS,
    targets::files::DESKTOP_FILE,
    targets::protocol::EVENT_ID,
    targets::protocol::JSON_RPC,
    targets::audit_log::LOG,
    targets::audit_log::EDITED,
    targets::keys::TARGET,
    targets::protocol::LINES,
    targets::locate::PATH,
    targets::locate::QUERY,
    targets::locate::REFERENCE,
    targets::app_rules::TARGET,
    targets::locate::SELECTOR,
    targets::text::TARGET,
    targets::protocol::TOKEN,
    targets::tools::TARGET,
    targets::protocol::URI,
];

/// The target of a name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
