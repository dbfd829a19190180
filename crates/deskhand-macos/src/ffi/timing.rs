//! Timeouts and intervals of the bindings.

use std::time::Duration;

/// Timeout for the main thread to read the keyboard layout. It is late only if it is busy.
pub(super) const LAYOUT_TIMEOUT: Duration = Duration::from_millis(200);
/// Interval at which the run loop returns to check whether it should end.
pub(super) const RUN_LOOP_INTERVAL: Duration = Duration::from_millis(250);
/// The pause of a run loop that has no source yet.
pub(super) const EMPTY_RUN_LOOP_INTERVAL: Duration = Duration::from_millis(20);
/// Timeout for the thread of a run loop to start.
pub(super) const RUN_LOOP_START_TIMEOUT: Duration = Duration::from_secs(2);
