//! Remote MCP servers and logins: real servers, a real authorization server, and a scripted
//! browser.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a panic is how a test reports")]

mod fixtures;
mod lifecycle;
mod login;
mod remote_tools;
mod tool_listing;
