//! The sandbox, against the real kernel.
#![cfg(target_os = "linux")]

mod escapes;
mod fixture;
mod lifetimes;
mod network;
mod refusals;
mod running;
mod tools;
