//! The MCP server, spoken to in raw lines: both eras, bad input, tasks, cancellation.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a panic is how a test reports")]

mod mcp {
    pub(crate) mod asking;
    pub(crate) mod bad_input;
    pub(crate) mod eras;
    pub(crate) mod http;
    pub(crate) mod socket;
    pub(crate) mod talk;
    pub(crate) mod tasks;
}
