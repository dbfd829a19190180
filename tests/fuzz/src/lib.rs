//! Fuzz targets for all code that parses untrusted input, and a runner.
//!
//! A target takes bytes. It must not panic, hang or use unbounded memory. Targets also check
//! properties that hold for every input.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "targets report by panicking")]

pub mod corpus;
pub mod mutate;
pub mod runner;
mod targets;

/// A fuzz target.
#[derive(Debug, Clone, Copy)]
pub struct Target {
    /// The name, which is also the corpus folder.
    pub name: &'static str,
    /// Processes an input. Panics if a property does not hold.
    pub run: fn(&[u8]),
    /// Tokens of the input language.
    pub words: &'static [&'static str],
    /// The number of mutated inputs in a test run.
    pub rounds: usize,
}

/// All targets, sorted by name.
pub const TARGETS: &[Target] = &[
    targets::approvals::BY_HAND,
    targets::approvals::REMEMBERED,
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

/// Returns the target with this name.
pub fn target(name: &str) -> Option<&'static Target> {
    TARGETS.iter().find(|target| target.name == name)
}
