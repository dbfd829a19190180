//! The gate: everything that decides if a call may run.

use std::{path::Path, sync::Arc};

use crate::{
    approvals::{Approvals, DEFAULT_LIFETIME},
    audit_log::{AuditLog, RotationPolicy},
    halt::Halt,
    limits::{CallLimiter, RateLimits},
    policy::{AppRules, Policy},
};

/// The checks between callers and the desktop. The CLI and MCP servers use the same ones.
pub struct Gate {
    /// The tools that callers may use when the program starts.
    pub policy: Policy,
    /// The apps that callers may read and change.
    pub apps: Arc<AppRules>,
    /// The rate limits.
    pub limits: CallLimiter,
    /// The audit log.
    pub audit_log: AuditLog,
    /// The approvals that the user has given before.
    pub approvals: Approvals,
    /// The halt, which stops all calls.
    pub halt: Halt,
}

impl Gate {
    /// Creates the default gate for a program that embeds the engine. All its files are in one
    /// folder, and no other process can halt it.
    pub fn in_folder(folder: &Path) -> Self {
        let approvals = folder.join("approvals.toml");
        let audit_log = folder.join("audit.jsonl");
        Self {
            policy: Policy::default(),
            apps: Arc::default(),
            limits: CallLimiter::new(&RateLimits::default()),
            audit_log: AuditLog::at(audit_log, RotationPolicy::default()),
            approvals: Approvals::at(folder.join("approvals.json"), &approvals, DEFAULT_LIFETIME),
            halt: Halt::never(),
        }
    }
}
