//! Timeouts and intervals of the bindings.

use std::time::Duration;

/// The main thread reads the keyboard layout within this time, if it is not busy.
pub(super) const LAYOUT_TIMEOUT: Duration = Duration::from_millis(200);
/// The run loop returns this often to check whether it should end.
pub(super) const RUN_LOOP_INTERVAL: Duration = Duration::from_millis(250);
/// The pause of a run loop that has no source yet.
pub(super) const EMPTY_RUN_LOOP_INTERVAL: Duration = Duration::from_millis(20);
/// The thread of a run loop starts within this time.
pub(super) const RUN_LOOP_START_TIMEOUT: Duration = Duration::from_secs(2);
