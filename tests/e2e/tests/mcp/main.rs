//! The MCP server, spoken to in raw lines: both eras, bad input, tasks, cancellation.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a panic is how a test reports")]

pub(crate) mod asking;
pub(crate) mod attacks;
pub(crate) mod auth;
mod ax;
pub(crate) mod bad_input;
pub(crate) mod cancelling;
pub(crate) mod commands;
pub(crate) mod completions;
pub(crate) mod eras;
pub(crate) mod http;
pub(crate) mod issuer;
pub(crate) mod limits;
pub(crate) mod logging;
pub(crate) mod metrics;
pub(crate) mod old;
pub(crate) mod pages;
pub(crate) mod prompts;
pub(crate) mod resources;
pub(crate) mod roots;
pub(crate) mod sampling;
pub(crate) mod shutdown;
pub(crate) mod socket;
pub(crate) mod sse;
pub(crate) mod storm;
pub(crate) mod talk;
pub(crate) mod tasks;
pub(crate) mod transcripts;
pub(crate) mod watching;
pub(crate) mod web;
