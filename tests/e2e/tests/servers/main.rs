//! Other MCP servers and the logins to them: real servers, a real authorization server, a person at a
//! browser that is a program.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "a panic is how a test reports")]

mod life;
mod listing;
mod login;
mod offered;
mod scene;
