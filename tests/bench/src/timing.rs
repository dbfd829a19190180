//! Timeouts and intervals of the benchmarks.

use std::time::Duration;

/// A contender that takes longer has no figure.
pub(crate) const CONTENDER_TIMEOUT: Duration = Duration::from_secs(60);
/// Only keeps an unresponsive app from blocking the benchmark. It does not limit measured times.
pub(crate) const READ_TIMEOUT: Duration = Duration::from_secs(30);
/// The time that GTK 4 apps need after registration. Only reading the tree would show that it is
/// complete, and that must not have happened yet.
pub(crate) const STARTUP_DELAY: Duration = Duration::from_millis(1500);
/// The time limit for all clicks on one element.
pub(crate) const CLICKS_TIMEOUT: Duration = Duration::from_secs(600);
/// The time limit for a visible effect of a click.
pub(crate) const EFFECT_TIMEOUT: Duration = Duration::from_secs(3);
/// The pause between clicks, so that one is over before the next: Qt 5 shows a button as pressed
/// for 100 ms.
pub(crate) const CLICK_INTERVAL: Duration = Duration::from_millis(200);
/// The time limit for one answer of the reader.
pub(crate) const OBSERVER_TIMEOUT: Duration = Duration::from_secs(10);
/// The interval between two reads.
pub(crate) const OBSERVER_INTERVAL: Duration = Duration::from_millis(5);
/// The time limit for a window to appear on a busy machine.
pub(crate) const WINDOW_TIMEOUT: Duration = Duration::from_secs(60);
/// A server that sends nothing for this long hangs.
pub(crate) const RESPONSE_TIMEOUT: Duration = Duration::from_secs(30);
/// A pause, so that processes that one side left running do not slow down the other.
pub(crate) const PAUSE_BETWEEN_BLOCKS: Duration = Duration::from_millis(50);
/// The timeout of finds in lists of 100,000 items. The harness ends commands after 90 s.
pub(crate) const FIND_TIMEOUT: Duration = Duration::from_secs(60);
/// The time limit for an app to show the first item of such a list.
pub(crate) const LONG_LIST_START_TIMEOUT: Duration = Duration::from_secs(180);
