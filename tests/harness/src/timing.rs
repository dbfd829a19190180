//! Timeouts and intervals of the harness.

use std::time::Duration;

/// A command that runs longer hangs: it is killed and the test fails.
pub(crate) const COMMAND_TIMEOUT: Duration = Duration::from_secs(90);
/// A program shows its complete tree within this time, even on a busy machine.
pub(crate) const APP_START_TIMEOUT: Duration = Duration::from_secs(60);
/// An [`McpClient`](crate::mcp::McpClient) treats a server that sends nothing for this long as
/// hung.
pub(crate) const MCP_RESPONSE_TIMEOUT: Duration = Duration::from_secs(90);
/// A server that sends nothing for this long to a client other than an [`McpClient`](crate::mcp::McpClient) hangs, even
/// on a busy machine.
pub const RESPONSE_TIMEOUT: Duration = Duration::from_secs(60);
/// A server exits within this time after its input is closed, unless it hangs.
pub(crate) const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(15);
/// The interval between two checks of a process that is about to exit.
pub(crate) const EXIT_POLL_INTERVAL: Duration = Duration::from_millis(5);
/// The time limit for killed processes to leave the process table.
pub(crate) const EXIT_TIMEOUT: Duration = Duration::from_secs(10);
/// The recorder has reported everything when it has been silent for this long.
pub(crate) const QUIET_PERIOD: Duration = Duration::from_millis(400);
/// A window resets itself within this time on a busy machine.
pub(crate) const RESET_TIMEOUT: Duration = Duration::from_secs(15);
/// A command without a reaction is sent again after this time.
pub(crate) const RESEND_INTERVAL: Duration = Duration::from_secs(3);
/// A browser needs this long to update the accessibility tree after a page change.
pub(crate) const RENDER_DELAY: Duration = Duration::from_millis(250);
/// The interval between two reads of the log.
pub(crate) const LOG_POLL_INTERVAL: Duration = Duration::from_millis(10);
/// An app logs an action that was reported as done within this time.
pub(crate) const CLAIMED_EFFECT_TIMEOUT: Duration = Duration::from_secs(3);
/// An app logs any other action that was sent within this time.
pub(crate) const LATE_EFFECT_TIMEOUT: Duration = Duration::from_millis(900);
/// The time to wait for effects of an action that was not sent.
pub(crate) const NO_EFFECT_TIMEOUT: Duration = Duration::from_millis(250);
/// The `--timeout`, in seconds, for elements that real input cannot reach.
pub(crate) const UNREACHABLE_TIMEOUT: &str = "1.5";
/// The `--timeout`, in seconds, for an element that never becomes ready.
pub(crate) const SHORT_TIMEOUT: &str = "0.4";
/// The time limit for a reaction of the window manager.
pub(crate) const WM_TIMEOUT: Duration = Duration::from_secs(5);
/// The interval between repeated activation requests.
pub(crate) const ACTIVATE_RETRY_INTERVAL: Duration = Duration::from_millis(500);
/// The `--timeout`, in seconds, for an element on a busy machine.
pub(crate) const ELEMENT_TIMEOUT: &str = "15";
