//! Timeouts and intervals of the sandbox on macOS.

use std::time::Duration;

/// Timeout for the kernel to end killed processes. A process waits at most for a slow disk.
pub(super) const KILL_TIMEOUT: Duration = Duration::from_secs(30);

/// Interval between two scans for processes that are still alive. A killed process ends within microseconds.
pub(super) const PROCESS_SCAN_INTERVAL: Duration = Duration::from_millis(2);
