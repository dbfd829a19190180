//! Timeouts of the conformance checks. They are generous because the checks run on busy machines.

use std::time::Duration;

/// Time for an app to start and expose its complete tree; a cold start takes up to 30 seconds.
pub(super) const START_TIMEOUT: Duration = Duration::from_secs(60);
/// Time for the effect of an action to become visible.
pub(super) const EFFECT_TIMEOUT: Duration = Duration::from_secs(8);
/// Timeout for one call to a platform trait.
pub(super) const CALL_TIMEOUT: Duration = Duration::from_secs(10);
/// Interval between two attempts to observe an effect.
pub(super) const POLL_INTERVAL: Duration = Duration::from_millis(40);
/// Amount by which a call may exceed its deadline.
pub(super) const DEADLINE_TOLERANCE: Duration = Duration::from_millis(500);
/// Pause between two presses: Qt 5 and GTK 4 animate a button and ignore presses during that time.
pub(super) const PRESS_INTERVAL: Duration = Duration::from_millis(400);
/// Pause after each typed character.
pub(super) const TYPING_PAUSE: Duration = Duration::from_millis(2);
/// Deadline of each call to a suspended app, long enough for the backend to notice.
pub(super) const SUSPENDED_CALL_TIMEOUT: Duration = Duration::from_millis(1500);
/// Time to wait for an event that must not arrive.
pub(super) const NO_EVENT_TIMEOUT: Duration = Duration::from_millis(200);
/// Time without a clipboard change after which earlier changes have all been reported.
pub(super) const CLIPBOARD_QUIET_PERIOD: Duration = Duration::from_millis(300);
/// Time for a clipboard change to be reported.
pub(super) const CLIPBOARD_CHANGE_TIMEOUT: Duration = Duration::from_secs(5);
