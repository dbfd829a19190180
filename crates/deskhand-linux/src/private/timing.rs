//! Timeouts for starting and ending private desktops.

use std::time::Duration;

/// Timeout for one component to start; on a loaded machine a component takes a few seconds.
pub(super) const START_TIMEOUT: Duration = Duration::from_secs(10);

/// Time to end after SIGTERM before SIGKILL follows; most programs save their settings within a second.
pub(super) const TERM_TIMEOUT: Duration = Duration::from_millis(1_500);

/// Timeout for processes to disappear after SIGKILL.
pub(super) const KILL_TIMEOUT: Duration = Duration::from_secs(5);

/// Pause between two attempts to remove a directory that a process is still writing to.
pub(super) const REMOVE_RETRY_INTERVAL: Duration = Duration::from_millis(10);
