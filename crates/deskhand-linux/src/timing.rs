//! Timeouts and poll intervals of the crate's top-level modules.

use std::time::Duration;

/// Timeout for connecting to the X server; a local server answers within milliseconds.
pub(crate) const X11_CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// Timeout for a killed process to disappear; the kernel may first have to free its memory.
pub(crate) const KILL_TIMEOUT: Duration = Duration::from_secs(1);

/// Poll interval while a killed process disappears.
pub(crate) const KILL_POLL_INTERVAL: Duration = Duration::from_millis(2);
