//! Timeouts and intervals of the client.

use std::time::Duration;

/// Timeout of a call, unless the configuration sets one: MCP clients wait about as long.
pub(crate) const CALL_TIMEOUT: Duration = Duration::from_secs(60);

/// Timeout for opening a TCP connection.
pub(crate) const CONNECT_TIMEOUT: Duration = Duration::from_secs(10);

/// Timeout for connecting to a server and listing its tools: it may first refresh a token.
pub(crate) const READY_TIMEOUT: Duration = Duration::from_secs(20);

/// Timeout for listing the tools of a connected server.
pub(crate) const LIST_TIMEOUT: Duration = Duration::from_secs(10);

/// Interval at which an idle server is checked: its tools are listed again.
pub(crate) const CHECK_INTERVAL: Duration = Duration::from_secs(30);

/// First delay before a failed server is tried again; each further delay is twice as long.
pub(crate) const MIN_RETRY_DELAY: Duration = Duration::from_millis(500);

/// Longest delay before a failed server is tried again.
pub(crate) const MAX_RETRY_DELAY: Duration = Duration::from_secs(30);

/// Interval at which a server that requires a login is checked for new tokens.
pub(crate) const LOGIN_POLL_INTERVAL: Duration = Duration::from_secs(2);

/// Interval at which a waiting call checks for cancellation.
pub(crate) const CALL_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Time for ending sessions at the servers when this process stops using them.
pub(crate) const SHUTDOWN_TIMEOUT: Duration = Duration::from_millis(500);

/// Interval at which a child process is checked for its end.
pub(crate) const CHILD_POLL_INTERVAL: Duration = Duration::from_millis(10);

/// Time that a child process gets to end after its input is closed.
pub(crate) const CHILD_EXIT_TIMEOUT: Duration = Duration::from_secs(1);

/// Time that the browser gets to read the page that ends a login.
pub(crate) const PAGE_TIMEOUT: Duration = Duration::from_secs(2);

/// Time to wait for the command that opens a browser: some browsers run until they are closed.
pub(crate) const BROWSER_TIMEOUT: Duration = Duration::from_secs(5);
