//! Timeouts and intervals of the command line.

use std::time::Duration;

/// Interval at which `audit-log show --follow` reads new records: short enough to look live.
pub(crate) const AUDIT_LOG_POLL_INTERVAL: Duration = Duration::from_millis(200);

/// Timeout of `tools list --server`: a server started with `npx` may first download itself.
pub(crate) const TOOL_LIST_TIMEOUT: Duration = Duration::from_secs(30);

/// Timeout of a login: the user may have to find a password and a second factor.
pub(crate) const LOGIN_TIMEOUT: Duration = Duration::from_secs(300);

/// Timeout of each step of `check`: the default for reads.
pub(crate) const CHECK_TIMEOUT: Duration = Duration::from_secs(2);
