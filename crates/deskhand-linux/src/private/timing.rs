//! Timeouts for starting and ending private desktops.

use std::time::Duration;

/// Timeout for one component to start. It is long because several desktops may start at the same
/// time.
pub(super) const START_TIMEOUT: Duration = Duration::from_secs(10);

/// Time between SIGTERM and SIGKILL, in which programs can save their settings.
pub(super) const TERM_TIMEOUT: Duration = Duration::from_millis(1_500);

/// Timeout for processes to disappear after SIGKILL. Then the remaining ones are reported as an
/// error.
pub(super) const KILL_TIMEOUT: Duration = Duration::from_secs(5);

/// Pause between two attempts to remove a directory that a process is still writing to. With
/// `MAX_REMOVE_RETRIES` attempts it limits the wait to 200 ms.
pub(super) const REMOVE_RETRY_INTERVAL: Duration = Duration::from_millis(10);
