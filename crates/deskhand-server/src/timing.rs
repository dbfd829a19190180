//! Timeouts of the server's assembly.

use std::time::Duration;

/// Time that other servers get to connect before their status or their tools are listed.
pub const SERVER_STATUS_TIMEOUT: Duration = Duration::from_secs(10);
