//! The sandbox, against the real kernel.
#![cfg(target_os = "linux")]

mod bench;
mod escapes;
mod lifetimes;
mod refusals;
mod running;
mod tools;
