//! Security policy: modes, app rules, consent, limits, halt, secrets and the audit log.
//!
//! The tests call the built binary and check real apps on private desktops.
#![allow(clippy::unwrap_used, reason = "tests")]

mod app_rules;
mod audit_log;
mod bypass_attempts;
mod command_sandbox;
mod consent;
mod halt;
mod hidden_text;
mod password_leaks;
mod rate_limits;
mod recording_clients;
mod scripts;
mod server_log;
mod settings;
