//! The gate: everything that decides about calls, set up once.

use std::{path::Path, sync::Arc, time::Duration};

use crate::{
    approvals::Approvals,
    halt::Halt,
    journal::{Bounds, Journal},
    limits::{Limits, Rates},
    policy::{AppRules, Policy},
};

/// What stands between every door and the desktop.
pub struct Gate {
    /// What may be done at all.
    pub policy: Policy,
    /// With which apps.
    pub apps: Arc<AppRules>,
    /// How much of it.
    pub limits: Limits,
    /// Where it is recorded.
    pub journal: Journal,
    /// What persons have agreed to before.
    pub approvals: Approvals,
    /// Whether everything is stopped.
    pub halt: Halt,
}

/// How long a remembered approval holds.
const APPROVED: Duration = Duration::from_secs(30 * 24 * 3600);

impl Gate {
    /// The usual gate for a program that embeds the engine: everything it keeps is in one folder, and
    /// nobody halts it from outside.
    pub fn in_folder(folder: &Path) -> Self {
        let approvals = folder.join("approvals.toml");
        Self {
            policy: Policy::default(),
            apps: Arc::default(),
            limits: Limits::new(&Rates::default()),
            journal: Journal::at(folder.join("audit.jsonl"), Bounds::default()),
            approvals: Approvals::at(folder.join("approvals.json"), &approvals, APPROVED),
            halt: Halt::none(),
        }
    }
}
