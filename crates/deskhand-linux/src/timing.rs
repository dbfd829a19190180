//! Timeouts and poll intervals of the crate's top-level modules.

use std::time::Duration;

/// Timeout for connecting to the X server, so that a hanging server does not block the start.
pub(crate) const X11_CONNECT_TIMEOUT: Duration = Duration::from_secs(2);

/// Timeout for a killed process to disappear. Then its held keys are released in any case.
pub(crate) const KILL_TIMEOUT: Duration = Duration::from_secs(1);

/// Poll interval while a killed process disappears; its keys stay pressed until then.
pub(crate) const KILL_POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Time for the window manager to unmap a window that it has marked as minimized. Some managers keep
/// such windows mapped; they are asked in another way afterwards.
pub(crate) const UNMAP_TIMEOUT: Duration = Duration::from_millis(500);

/// Poll interval while the window manager minimizes a window.
pub(crate) const UNMAP_POLL_INTERVAL: Duration = Duration::from_millis(2);
