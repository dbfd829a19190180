//! Timeouts and intervals of the sandbox on Linux.

use std::time::Duration;

/// Timeout for the kernel to end killed processes. A process waits at most for a slow disk.
pub(super) const KILL_TIMEOUT: Duration = Duration::from_secs(30);

/// Interval between two scans for processes that are still alive. A killed process ends within microseconds.
pub(super) const PROCESS_SCAN_INTERVAL: Duration = Duration::from_millis(1);

/// Time after which surplus idle containers end if no request needed one.
pub(super) const IDLE_TIMEOUT: Duration = Duration::from_secs(20);

/// Time to wait for a container to return before a new one is created. Creating one takes about as long, and
/// keeps both processors busy.
pub(super) const RETURN_WAIT: Duration = Duration::from_millis(4);

/// Timeout for a container to clean up after its last program. A slower one is replaced.
pub(super) const CLEANUP_TIMEOUT: Duration = Duration::from_millis(250);
