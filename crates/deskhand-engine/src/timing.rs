//! Timeouts and intervals of the engine.

use std::time::Duration;

/// Default timeout of a call that only reads. Reading a large app takes up to one second.
pub(crate) const READ_TIMEOUT: Duration = Duration::from_secs(2);
/// Default timeout of an action; includes the wait until its element is ready.
pub(crate) const ACTION_TIMEOUT: Duration = Duration::from_secs(5);
/// Default timeout of a call that starts a program. Large programs start slowly on a busy machine.
pub(crate) const LAUNCH_TIMEOUT: Duration = Duration::from_secs(30);
/// Time to release held keys and buttons after a halt. The user is waiting for it.
pub(crate) const RELEASE_TIMEOUT: Duration = Duration::from_millis(200);
/// Time to look up the app of an event. The subscriber waits for it.
pub(crate) const EVENT_APP_TIMEOUT: Duration = Duration::from_millis(500);

/// Default lifetime of a remembered approval: 30 days.
pub(crate) const APPROVAL_LIFETIME: Duration = Duration::from_secs(30 * 24 * 3600);
/// Suggested delay for a caller with too many concurrent calls. The duration of a call is unknown.
pub(crate) const CONCURRENCY_RETRY_DELAY: Duration = Duration::from_millis(100);

/// Time for which the access decision about an app is reused. A program that executes another one
/// in the same process loses its accessibility connection, so no other program can take its place.
pub(crate) const APP_ACCESS_TTL: Duration = Duration::from_millis(250);
/// Time for which the area of a closed window stays hidden. Its pixels remain until the windows
/// behind it have redrawn, and compositors fade windows out.
pub(crate) const CLOSED_WINDOW_TTL: Duration = Duration::from_millis(500);

/// Time to wait for the lock on the audit log. Writers hold it for microseconds.
pub(crate) const LOG_LOCK_TIMEOUT: Duration = Duration::from_secs(2);
/// Interval at which a writer retries to lock the audit log. Every call waits for this.
pub(crate) const LOG_WRITER_POLL_INTERVAL: Duration = Duration::from_micros(100);
/// Interval at which a reader retries to lock the audit log. Readers are not urgent.
pub(crate) const LOG_READER_POLL_INTERVAL: Duration = Duration::from_millis(1);
/// Interval at which one more refusal of a kind gets a separate record after the first burst.
pub(crate) const REFUSAL_RECORD_INTERVAL: Duration = Duration::from_secs(10);

/// Maximum time a healthy engine needs for a halt: it releases held keys and buttons, waits for the
/// end of its calls, and releases again.
const HALT_TIME: Duration = RELEASE_TIMEOUT.saturating_mul(2).saturating_add(CALL_END_TIMEOUT);
/// Time for a busy machine to wake the threads of an engine and to write its acknowledgement, on top
/// of `HALT_TIME`.
const HALT_ACK_MARGIN: Duration = Duration::from_millis(450);
/// Time for an engine to acknowledge a halt before it is killed.
pub(crate) const HALT_ACK_TIMEOUT: Duration = HALT_TIME.saturating_add(HALT_ACK_MARGIN);
/// Interval at which the halt flag and the acknowledgements are polled.
pub(crate) const HALT_POLL_INTERVAL: Duration = Duration::from_millis(5);
/// Time during which an engine polls for the halt flag before it subscribes to folder changes. The
/// kernel needs 8 to 16 ms to remove an inotify watch, which every short command would wait for.
pub(crate) const HALT_POLL_PERIOD: Duration = Duration::from_secs(2);
/// Interval at which the halt flag is read even without a change notification.
pub(crate) const HALT_FALLBACK_INTERVAL: Duration = Duration::from_secs(1);
/// Delay before another attempt to subscribe to changes of the halt folder.
pub(crate) const HALT_RESUBSCRIBE_DELAY: Duration = Duration::from_millis(100);
/// Time for running calls to end after a halt, before keys and buttons are released again.
pub(crate) const CALL_END_TIMEOUT: Duration = Duration::from_millis(150);
/// Interval at which the end of running calls is polled after a halt.
pub(crate) const CALL_END_POLL_INTERVAL: Duration = Duration::from_millis(2);
