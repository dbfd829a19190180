//! Tests of the call pipeline: questions, limits, security modes and the audit log.
#![allow(clippy::unwrap_used, reason = "a panic is how a test reports")]

mod fixture;
mod gate;
mod questions;
mod records;
