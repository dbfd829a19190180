//! Builds the engine's policy checks, rate limits, audit log and approvals from the settings.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
};

use deskhand_engine::{
    AppRules, Approvals, AuditLog, CallFailure, CallLimiter, Confirmation, Gate, Halt, Policy,
    RateLimits, SecurityMode, WriteAccess, audit_log::RotationPolicy,
};
use deskhand_platform::Machine;

use super::{Error, FILE, Settings, config_file::ConfigFile, parse::RawValue, table};
use crate::trusted_file::read_trusted;

/// Builds the checks that every call passes, whether it comes from the command line, an MCP client or
/// a library user. `machine` is where the halt is looked up.
///
/// # Errors
///
/// If a setting or a rules file is invalid. No call is allowed in that case.
pub fn gate(settings: &Settings, machine: Arc<dyn Machine>) -> Result<Gate, CallFailure> {
    let folders = settings.folders();
    Ok(Gate {
        policy: policy(settings)?,
        apps: Arc::new(app_rules(settings, &folders.config.join("security.toml"))?),
        limits: CallLimiter::new(&rates(settings)?),
        audit_log: audit_log(settings)?,
        approvals: approvals(settings)?,
        halt: Halt::in_folder(folders.runtime.clone(), machine),
    })
}

/// Builds the policy: security mode, read-only and confirmation.
pub fn policy(settings: &Settings) -> Result<Policy, CallFailure> {
    let read_only = settings.get(&table::READ_ONLY)?;
    let confirm = settings.get(&table::CONFIRM)?;
    Ok(Policy {
        mode: settings.get(&table::SECURITY_MODE)?,
        write_access: if read_only { WriteAccess::ReadOnly } else { WriteAccess::Allowed },
        confirmation: if confirm { Confirmation::Ask } else { Confirmation::Skip },
    })
}

/// Returns the security mode that the configuration file in a folder sets, whatever flags and variables
/// say.
///
/// # Errors
///
/// If the file is invalid.
pub fn mode_in_file(config: &Path) -> Result<Option<SecurityMode>, Error> {
    let file = ConfigFile::read(&config.join(FILE))?;
    let value = file.get(table::SECURITY_MODE.info.key);
    // The file was checked when it was read.
    Ok(value.and_then(|(value, _)| (table::SECURITY_MODE.parse)(RawValue::Toml(value))))
}

fn app_rules(settings: &Settings, file: &Path) -> Result<AppRules, CallFailure> {
    let rules = match read_trusted(file)? {
        Some(text) => AppRules::parse(&text, &file.display().to_string())?,
        None => AppRules::default(),
    };
    Ok(rules.with_entries(
        settings.get(&table::ALLOWED_APPS)?,
        settings.get(&table::DENIED_APPS)?,
        settings.get(&table::WRITE_BLOCKED_APPS)?,
    )?)
}

fn rates(settings: &Settings) -> Result<RateLimits, CallFailure> {
    Ok(RateLimits {
        per_second: settings.get(&table::RPS)?,
        per_minute: settings.get(&table::RPM)?,
        max_concurrent: settings.get(&table::CONCURRENCY)?,
        vision_per_minute: settings.get(&table::VISION_RPM)?,
        scripts_per_minute: settings.get(&table::SCRIPT_RPM)?,
        writes_per_second: settings.get(&table::WRITES)?,
    })
}

fn audit_log(settings: &Settings) -> Result<AuditLog, CallFailure> {
    let (file, bounds) = audit_log_file(settings)?;
    Ok(AuditLog::at(file, bounds))
}

/// Returns the path of the audit log and its size limits.
pub fn audit_log_file(settings: &Settings) -> Result<(PathBuf, RotationPolicy), CallFailure> {
    let file = settings.get(&table::AUDIT_LOG)?;
    let keep = settings.get(&table::AUDIT_LOG_KEEP)?;
    let bounds = RotationPolicy {
        rotate_at: settings.get(&table::AUDIT_LOG_SIZE)?,
        keep: usize::try_from(keep).unwrap_or(usize::MAX),
    };
    Ok((file, bounds))
}

/// Opens the approvals that users have given before.
pub fn approvals(settings: &Settings) -> Result<Approvals, CallFailure> {
    let folders = settings.folders();
    let lifetime = settings.get(&table::APPROVALS_LIFE)?;
    let by_hand = folders.config.join("approvals.toml");
    Ok(Approvals::at(folders.state.join("approvals.json"), &by_hand, lifetime))
}
