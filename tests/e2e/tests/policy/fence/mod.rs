//! The fence of rules about apps: real apps on real desktops, the built program before them.
#![allow(clippy::unwrap_used, reason = "tests")]

mod apps;
mod sight;
mod touch;
