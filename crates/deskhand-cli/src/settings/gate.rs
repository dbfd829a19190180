//! The gate as the person has set it up.

use std::{path::Path, sync::Arc};

use deskhand_engine::{
    AppRules, Approvals, Confirm, Failure, Gate, Halt, Journal, Limits, Policy, Rates, Touch,
    journal::Bounds,
};

use super::{Settings, file, table};
use crate::host;

/// What stands between every door and the desktop.
///
/// # Errors
///
/// When a setting or a file of rules is not understood; nothing is let through then.
pub(crate) fn gate(settings: &Settings) -> Result<Gate, Failure> {
    let folders = settings.folders();
    Ok(Gate {
        policy: policy(settings)?,
        apps: Arc::new(apps(settings, &folders.config.join("security.toml"))?),
        limits: Limits::new(&rates(settings)?),
        journal: journal(settings)?,
        approvals: approvals(settings)?,
        halt: Halt::at(folders.runtime.clone(), host::machine()),
    })
}

/// What may be done at all.
pub(crate) fn policy(settings: &Settings) -> Result<Policy, Failure> {
    let read_only = settings.get(&table::READ_ONLY)?;
    let confirm = settings.get(&table::CONFIRM)?;
    Ok(Policy {
        mode: settings.get(&table::SECURITY_MODE)?,
        touch: if read_only { Touch::ReadOnly } else { Touch::Allowed },
        confirm: if confirm { Confirm::Ask } else { Confirm::Skip },
    })
}

fn apps(settings: &Settings, file: &Path) -> Result<AppRules, Failure> {
    let rules = match file::text_of(file)? {
        Some(text) => AppRules::read(&text, &file.display().to_string())?,
        None => AppRules::default(),
    };
    Ok(rules.with(
        settings.get(&table::ALLOWED_APPS)?,
        settings.get(&table::DENIED_APPS)?,
        settings.get(&table::WRITE_BLOCKED_APPS)?,
    )?)
}

fn rates(settings: &Settings) -> Result<Rates, Failure> {
    Ok(Rates {
        per_second: settings.get(&table::RPS)?,
        per_minute: settings.get(&table::RPM)?,
        at_once: settings.get(&table::CONCURRENCY)?,
        vision_per_minute: settings.get(&table::VISION_RPM)?,
        scripts_per_minute: settings.get(&table::SCRIPT_RPM)?,
        writes_per_second: settings.get(&table::WRITES)?,
    })
}

/// Where calls are recorded.
pub(crate) fn journal(settings: &Settings) -> Result<Journal, Failure> {
    let (file, bounds) = journal_place(settings)?;
    Ok(Journal::at(file, bounds))
}

/// The file calls are recorded in, and how far it grows.
pub(crate) fn journal_place(settings: &Settings) -> Result<(std::path::PathBuf, Bounds), Failure> {
    let file = settings.get(&table::AUDIT_LOG)?;
    let keep = settings.get(&table::AUDIT_LOG_KEEP)?;
    let bounds = Bounds {
        rotate_at: settings.get(&table::AUDIT_LOG_SIZE)?,
        keep: usize::try_from(keep).unwrap_or(usize::MAX),
    };
    Ok((file, bounds))
}

/// What persons have agreed to before.
pub(crate) fn approvals(settings: &Settings) -> Result<Approvals, Failure> {
    let folders = settings.folders();
    let life = settings.get(&table::APPROVALS_LIFE)?;
    let by_hand = folders.config.join("approvals.toml");
    Ok(Approvals::at(folders.state.join("approvals.json"), &by_hand, life))
}
