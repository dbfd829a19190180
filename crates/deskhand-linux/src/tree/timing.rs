//! Timeouts of AT-SPI requests.

use std::time::Duration;

/// Timeout for the reply to an action; Qt replies only after a dialog that the action opened is
/// closed.
pub(super) const ACTION_REPLY_TIMEOUT: Duration = Duration::from_millis(150);

/// The interval at which the main loop of an app is called while an action is unanswered: longer than
/// most apps take to reply.
pub(super) const MAIN_LOOP_INTERVAL: Duration = Duration::from_millis(25);

/// Timeout for the bus itself, a local daemon that has no other work.
pub(super) const BUS_TIMEOUT: Duration = Duration::from_millis(1_500);

/// Timeout for an app to accept a direct connection. Then the bus is used, which is slower but also
/// works.
pub(super) const DIRECT_CONNECT_TIMEOUT: Duration = Duration::from_millis(800);

/// Time after which an app that was not connected directly is checked again, because the reason may
/// no longer apply.
pub(super) const POLICY_RETRY_INTERVAL: Duration = Duration::from_secs(5);

/// Timeout for counting a tree before it is read; a slower tree counts as unsafe.
pub(super) const PROBE_TIMEOUT: Duration = Duration::from_millis(900);

/// Timeout for an app to report its name. It is short because a frozen app delays the whole list;
/// the app is then listed as not responding.
pub(super) const DESCRIBE_TIMEOUT: Duration = Duration::from_millis(200);

/// Age until which a browser counts as starting. A cache filled earlier would lack pages that load
/// later.
pub(super) const BROWSER_STARTUP: Duration = Duration::from_secs(8);
