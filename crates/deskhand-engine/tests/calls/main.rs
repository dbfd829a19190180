//! What every call meets: questions, limits, modes and records, on an app that counts what is done to it.
#![allow(clippy::unwrap_used, reason = "a panic is how a test reports")]

mod fake_shop;
mod gate;
mod questions;
mod records;
