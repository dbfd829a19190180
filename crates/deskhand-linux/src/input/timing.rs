//! Timeouts and poll intervals of input.

use std::time::Duration;

/// Extra time to restore the keyboard after a caller's deadline; restoring takes a few round trips.
pub(super) const RESTORE_TIMEOUT: Duration = Duration::from_secs(1);

/// Poll interval while the user still holds a key; a human does not notice 5 ms.
pub(super) const KEY_RELEASE_POLL_INTERVAL: Duration = Duration::from_millis(5);

/// Poll interval while another program holds a [`SelectionLock`](super::selection_lock::SelectionLock); each
/// poll grabs the server briefly.
pub(super) const LOCK_POLL_INTERVAL: Duration = Duration::from_millis(2);

/// Maximum wait for an app that never becomes idle, such as one that plays an animation.
pub(super) const IDLE_TIMEOUT: Duration = Duration::from_secs(3);

/// Poll interval of the idle check; ten checks make 10 ms, less than a frame.
pub(super) const IDLE_POLL_INTERVAL: Duration = Duration::from_millis(1);

/// Time to read its keys for an app that answers no pings.
pub(super) const NO_PING_DELAY: Duration = Duration::from_millis(120);

/// Poll interval for the answer to a ping; most apps answer in less than a millisecond.
pub(super) const PING_POLL_INTERVAL: Duration = Duration::from_micros(300);

/// Time for all apps together to read about an added or removed device.
pub(super) const DEVICE_CHANGE_TIMEOUT: Duration = Duration::from_secs(1);

/// Maximum wait for starting apps before a second keyboard is added; after it, adding is refused.
pub(super) const STARTUP_TIMEOUT: Duration = Duration::from_secs(3);

/// Maximum wait for starting apps before the second keyboard is removed. During this time Chromium ignores
/// the user's keyboard.
pub(super) const REMOVAL_STARTUP_TIMEOUT: Duration = Duration::from_secs(5);

/// Timeout for removing the second keyboard: the wait for starting apps, and two waits until all apps have
/// read their events.
pub(super) const REMOVE_TIMEOUT: Duration =
    REMOVAL_STARTUP_TIMEOUT.saturating_add(Duration::from_secs(3));

/// Poll interval while an app starts; starting takes at least some 100 ms.
pub(super) const STARTUP_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Age at which a program without a window no longer counts as starting.
pub(super) const MAX_STARTUP_AGE: Duration = Duration::from_secs(6);
