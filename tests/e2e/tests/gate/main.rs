//! The gate as apps and callers meet it: real apps on real desktops, the built program before them.
#![allow(clippy::unwrap_used, reason = "tests")]

mod canary;
mod content;
mod halt;
mod hostile;
mod journal;
mod limits;
mod settings;
#[allow(dead_code, reason = "the tests of the server use all of it")]
#[path = "../mcp/web.rs"]
mod web;
mod wire;
#[allow(dead_code, reason = "the tests of the pointer use all of it")]
#[path = "../pointer/witness.rs"]
mod witness;
