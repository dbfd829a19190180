//! The gate as apps and callers meet it: real apps on real desktops, the built program before them.
#![allow(clippy::unwrap_used, reason = "tests")]

mod canary;
mod commands;
mod consent;
mod content;
mod halt;
mod hostile;
mod journal;
mod limits;
mod log;
mod scripts;
mod settings;
mod wire;
