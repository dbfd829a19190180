//! Timeouts for capturing hidden windows.

use std::time::Duration;

/// Timeout for a program to start drawing hidden parts; after it, the capture is flagged as
/// incomplete.
pub(super) const FIRST_DRAW_TIMEOUT: Duration = Duration::from_millis(400);

/// Time without drawing after which a window counts as complete; longer than two frames at 60 Hz.
pub(super) const DRAW_QUIET_PERIOD: Duration = Duration::from_millis(40);

/// Maximum wait for a program that draws continuously, such as a video player.
pub(super) const MAX_DRAW_WAIT: Duration = Duration::from_millis(700);

/// Part of the caller's time reserved for reading the pixels.
pub(super) const READ_RESERVE: Duration = Duration::from_millis(150);

/// Poll interval for drawing events; a small part of `DRAW_QUIET_PERIOD`.
pub(super) const DRAW_POLL_INTERVAL: Duration = Duration::from_millis(2);
