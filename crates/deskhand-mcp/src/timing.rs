//! Timeouts, intervals and lifetimes of this crate, with the reason for each value.

use std::time::Duration;

// Calls and tasks.

/// Maximum wait for a call permit. Long enough for a burst of short calls to finish.
pub(crate) const CALL_PERMIT_TIMEOUT: Duration = Duration::from_secs(2);

/// Duration after which a call becomes a task, if the client supports tasks. Most calls are
/// shorter.
pub(crate) const TASK_AFTER: Duration = Duration::from_secs(1);

/// Duration above which the log record of a call is a warning.
pub(crate) const SLOW_CALL: Duration = Duration::from_secs(1);

/// Interval of progress notifications for a call that reports nothing. Clients commonly give up
/// after 60 s without a sign of life.
pub(crate) const HEARTBEAT_INTERVAL: Duration = Duration::from_secs(5);

/// Minimum interval between two progress notifications of a call. It limits the traffic.
pub(crate) const PROGRESS_INTERVAL: Duration = Duration::from_millis(100);

/// Lifetime of a task if the server chooses it: time to poll for the result.
pub(crate) const TASK_TTL: Duration = Duration::from_secs(300);

/// Lifetime of a task in 2025-11-25 if the client does not choose it.
pub(crate) const LEGACY_TASK_TTL: Duration = Duration::from_secs(60);

/// Maximum lifetime of a task, because a task holds memory.
pub(crate) const MAX_TASK_TTL: Duration = Duration::from_secs(3600);

/// Suggested interval for polling a task, in milliseconds.
pub(crate) const TASK_POLL_INTERVAL_MS: u64 = 500;

// Requests to the client.

/// Timeout of an elicitation or sampling request: time for a user to answer.
pub(crate) const INPUT_TIMEOUT: Duration = Duration::from_secs(120);

/// Timeout of a `roots/list` request. Generous, because calls have their own limit,
/// [`CALL_ROOTS_TIMEOUT`].
pub(crate) const LIST_ROOTS_TIMEOUT: Duration = Duration::from_secs(30);

/// Wait for a roots request that is already pending, before it is sent again.
pub(crate) const PENDING_ROOTS_TIMEOUT: Duration = Duration::from_millis(500);

/// Maximum wait of a call for the client's roots.
pub(crate) const CALL_ROOTS_TIMEOUT: Duration = Duration::from_secs(10);

/// Lifetime of a sealed request state: time for a user to answer.
pub(crate) const REQUEST_STATE_TTL: Duration = Duration::from_secs(600);

/// Window of the log rate limit.
pub(crate) const LOG_WINDOW: Duration = Duration::from_secs(1);

// Lists and resources.

/// Time for which clients may cache the tool list, in milliseconds. Changes are notified.
pub(crate) const TOOL_LIST_TTL_MS: u64 = 60_000;

/// Time for which clients may cache the prompt list, in milliseconds. It never changes.
pub(crate) const PROMPT_LIST_TTL_MS: u64 = 60_000;

/// Time for which clients may cache the resource list, in milliseconds. It changes with the apps.
pub(crate) const RESOURCE_LIST_TTL_MS: u64 = 5_000;

/// Time for which clients may cache the status resource, in milliseconds.
pub(crate) const STATUS_TTL_MS: u64 = 1_000;

/// Lifetime of a stored result. The tool result names this value.
pub(crate) const STORED_RESULT_TTL: Duration = Duration::from_secs(600);

// Subscriptions.

/// Maximum wait of a subscription for the first read of its view.
pub(crate) const SUBSCRIBE_TIMEOUT: Duration = Duration::from_secs(5);

/// Time for which events of an app are recorded after they were last read.
pub(crate) const EVENT_LEASE: Duration = Duration::from_secs(60);

/// The longest time between the acknowledgement of a subscription and the start of its collection of
/// changes: a thread switch, even on a busy machine.
pub(crate) const ACKNOWLEDGEMENT_TIME: Duration = Duration::from_secs(1);

/// Delay of list-changed notifications. Several changes in this time cause one notification.
pub(crate) const LIST_CHANGE_DELAY: Duration = Duration::from_millis(250);

/// Delay before a changed tree is read. Trees change many times while a window opens.
pub(crate) const TREE_CHANGE_DELAY: Duration = Duration::from_millis(500);

/// Delay before a changed app summary is read.
pub(crate) const STATE_CHANGE_DELAY: Duration = Duration::from_millis(100);

/// Time without events after which a view is polled.
pub(crate) const SILENCE_TIMEOUT: Duration = Duration::from_secs(5);

/// Interval at which a silent view is polled.
pub(crate) const VIEW_POLL_INTERVAL: Duration = Duration::from_secs(1);

/// Maximum wait of a watcher for events, before it checks if it should stop.
pub(crate) const WATCHER_TICK: Duration = Duration::from_millis(200);

/// Delay before a watcher connects to a failed event source again.
pub(crate) const WATCHER_RECONNECT_DELAY: Duration = Duration::from_secs(2);

/// Times after the start of an app at which the list of apps is read again. Apps are announced
/// before their names can be read.
pub(crate) const APP_START_READS: [Duration; 4] = [
    Duration::from_millis(100),
    Duration::from_millis(400),
    Duration::from_millis(1_200),
    Duration::from_millis(3_000),
];

// HTTP sessions.

/// Maximum lifetime of an HTTP+SSE session without a reader. Its client reads all the time.
pub(crate) const SSE_SESSION_IDLE_TIMEOUT: Duration = Duration::from_secs(300);

/// Interval at which inactive sessions are removed.
pub(crate) const SESSION_SWEEP_INTERVAL: Duration = Duration::from_secs(30);

/// Time for which delivered events are kept. They may be lost on the network.
pub(crate) const DELIVERED_EVENT_TTL: Duration = Duration::from_secs(300);

/// Delay after which clients should reconnect to a stream (`retry` of SSE).
pub(crate) const SSE_RETRY: Duration = Duration::from_secs(3);

/// Delay after a failed `accept`. The process may be out of file descriptors.
pub(crate) const ACCEPT_RETRY_DELAY: Duration = Duration::from_millis(50);

/// Timeout of the health check. A desktop that needs longer is reported as frozen.
pub(crate) const HEALTH_PROBE_TIMEOUT: Duration = Duration::from_millis(200);

/// Time for which the result of a health check is cached.
pub(crate) const HEALTH_CACHE_TTL: Duration = Duration::from_secs(5);

// Authentication.

/// Timeout of a request to the authorization server.
pub(crate) const JWKS_FETCH_TIMEOUT: Duration = Duration::from_secs(5);

/// Age at which keys are fetched again.
pub(crate) const JWKS_FRESH: Duration = Duration::from_secs(600);

/// Maximum age of keys while the authorization server cannot be reached.
pub(crate) const JWKS_MAX_AGE: Duration = Duration::from_secs(3600);

/// Mean interval between two fetches of keys. Tokens with unknown key ids must not cause more.
pub(crate) const JWKS_FETCH_INTERVAL: Duration = Duration::from_secs(10);

/// `Retry-After` of a request whose token cannot be verified now.
pub(crate) const AUTH_RETRY_DELAY: Duration = Duration::from_secs(10);

/// Maximum time for which a token is trusted, whatever its expiry claim says.
pub(crate) const MAX_TOKEN_LIFETIME: Duration = Duration::from_secs(86_400);

// Shutdown.

/// Grace period for pending requests after a termination signal.
pub(crate) const SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(5);

/// Grace period for pending requests after the client has closed stdin.
pub(crate) const STDIN_CLOSED_TIMEOUT: Duration = Duration::from_secs(2);

/// Grace period for all clients of a Unix socket: [`SHUTDOWN_TIMEOUT`] plus time to write.
pub(crate) const UNIX_SHUTDOWN_TIMEOUT: Duration = Duration::from_secs(7);

/// Time for HTTP clients to read the last responses.
pub(crate) const HTTP_FLUSH_TIMEOUT: Duration = Duration::from_secs(2);

/// Time for a client on stdio to read the last responses.
pub(crate) const STDIO_FLUSH_TIMEOUT: Duration = Duration::from_secs(1);

/// Time for the handler to end after the reader of stdout is gone. The whole server must end within
/// a second then.
pub(crate) const READER_GONE_TIMEOUT: Duration = Duration::from_millis(200);

/// Interval of the check that all requests of an HTTP server are answered.
pub(crate) const HTTP_DRAIN_INTERVAL: Duration = Duration::from_millis(10);

/// Interval of the check that all requests of a connection are answered.
pub(crate) const LINES_DRAIN_INTERVAL: Duration = Duration::from_millis(5);
