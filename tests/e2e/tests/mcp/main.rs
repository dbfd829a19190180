//! The MCP server, tested with raw protocol messages over stdio, HTTP and unix sockets.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a panic is how a test reports")]

pub(crate) mod auth;
mod ax_tools;
pub(crate) mod bad_input;
pub(crate) mod cancellation;
pub(crate) mod commands;
pub(crate) mod completions;
pub(crate) mod elicitation;
pub(crate) mod http;
pub(crate) mod http_attacks;
pub(crate) mod legacy_sse;
pub(crate) mod legacy_sse_client;
pub(crate) mod logging;
pub(crate) mod metrics;
pub(crate) mod oauth_issuer;
pub(crate) mod prompts;
pub(crate) mod protocol_versions;
pub(crate) mod rate_limits;
pub(crate) mod resource_leaks;
pub(crate) mod resources;
pub(crate) mod response_forms;
pub(crate) mod roots;
pub(crate) mod sampling;
pub(crate) mod shutdown;
pub(crate) mod stdio_client;
pub(crate) mod subscriptions;
pub(crate) mod tasks;
pub(crate) mod tightening;
pub(crate) mod transcripts;
pub(crate) mod unix_socket;
pub(crate) mod web_pages;

use harness::http_server;
