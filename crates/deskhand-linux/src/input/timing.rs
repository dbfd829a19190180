//! Timeouts and poll intervals of input.

use std::time::Duration;

/// Extra time after a caller's deadline to restore the keyboard, which must not stay changed.
pub(super) const RESTORE_TIMEOUT: Duration = Duration::from_secs(1);

/// Poll interval while the user still holds a key; typing starts at most this long after the
/// release.
pub(super) const KEY_RELEASE_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Poll interval while another program holds a
/// [`SelectionLock`](super::selection_lock::SelectionLock). Each poll grabs the server, so it must
/// not be much shorter.
pub(super) const LOCK_POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Maximum wait for an app to become idle; some apps never do.
pub(super) const IDLE_TIMEOUT: Duration = Duration::from_secs(3);

/// Poll interval of the idle check. `REQUIRED_IDLE_CHECKS` of them are the shortest possible wait.
pub(super) const IDLE_POLL_INTERVAL: Duration = Duration::from_millis(1);

/// Fixed wait for an app that answers no pings, since it cannot be asked if it has read its keys.
pub(super) const NO_PING_DELAY: Duration = Duration::from_millis(120);

/// Poll interval for the answer to a ping. It is short because typing waits for many pings.
pub(super) const PING_POLL_INTERVAL: Duration = Duration::from_micros(300);

/// Timeout for all apps together to read about an added or removed device; a slower app counts as
/// not responding.
pub(super) const DEVICE_CHANGE_TIMEOUT: Duration = Duration::from_secs(1);

/// Maximum wait for starting apps before a second keyboard is added. Then adding is refused, which
/// harms no app, so this wait is shorter than the one before removal.
pub(super) const STARTUP_TIMEOUT: Duration = Duration::from_secs(3);

/// Maximum wait for starting apps before the second keyboard is removed. During this time Chromium
/// ignores the user's keyboard.
pub(super) const REMOVAL_STARTUP_TIMEOUT: Duration = Duration::from_secs(5);

/// Timeout for removing the second keyboard: the wait for starting apps, and two waits until all
/// apps have read their events.
pub(super) const REMOVE_TIMEOUT: Duration =
    REMOVAL_STARTUP_TIMEOUT.saturating_add(Duration::from_secs(3));

/// Poll interval while an app starts. Each poll reads `/proc` for every client without a window.
pub(super) const STARTUP_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Age at which a program without a window no longer counts as starting; some programs never show
/// one.
pub(super) const MAX_STARTUP_AGE: Duration = Duration::from_secs(6);
