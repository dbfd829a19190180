//! Timeouts of the server's assembly.

use std::time::Duration;

/// Time that other servers get to connect before their status or their tools are listed.
pub const SERVER_STATUS_TIMEOUT: Duration = Duration::from_secs(10);

/// Maximum time between two reads of the security mode in the configuration file. A change is noticed
/// at once; this also covers network folders, whose changes are not reported.
pub(crate) const MODE_CHECK_INTERVAL: Duration = Duration::from_secs(60);
