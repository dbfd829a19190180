//! Durations of the refs file.

use std::time::Duration;

/// The age at which an unwritten refs file is removed. Every app process leaves one file.
pub(super) const MAX_UNUSED_AGE: Duration = Duration::from_secs(7 * 24 * 3600);
