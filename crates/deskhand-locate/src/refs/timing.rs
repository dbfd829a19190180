//! Durations of the refs file.

use std::time::Duration;

/// The maximum wait for the lock. Its holders only compute and write, so a longer wait means that
/// something is wrong.
pub(super) const LOCK_TIMEOUT: Duration = Duration::from_secs(2);

/// The pause between two attempts to take the lock: short, because callers wait for refs.
pub(super) const LOCK_POLL_INTERVAL: Duration = Duration::from_millis(2);

/// The age at which an unwritten refs file is removed. Every app process leaves one file.
pub(super) const MAX_UNUSED_AGE: Duration = Duration::from_secs(7 * 24 * 3600);
