//! Timeouts and intervals of this crate.

use std::time::Duration;

/// Timeout of one availability check. A check like `cargo --version` takes milliseconds.
pub(crate) const CHECK_TIMEOUT: Duration = Duration::from_secs(10);

/// Interval at which a waiting thread checks whether its caller still waits. A cancelled call returns within this
/// time.
pub(crate) const POLL_INTERVAL: Duration = Duration::from_millis(25);

/// Timeout for a cancelled operation to finish. Its processes are already killed by then.
pub(crate) const CANCEL_TIMEOUT: Duration = Duration::from_secs(5);

/// Minimum interval between two output events of an operation. Clients show them to people.
pub(crate) const OUTPUT_INTERVAL: Duration = Duration::from_millis(100);

/// Maximum run time of any operation, in seconds: one day.
pub(crate) const MAX_TIMEOUT_SECONDS: u64 = 86_400;

/// Maximum run time of any operation.
pub(crate) const MAX_RUN_TIME: Duration = Duration::from_secs(MAX_TIMEOUT_SECONDS);

/// Time to read the remaining output of a killed program. The pipe stays open that long only if a process outside
/// the sandbox has it.
pub(crate) const DRAIN_TIMEOUT: Duration = Duration::from_secs(1);

/// Time to wait for the exit of a program before its output is read, if no observer needs the output early. Most
/// commands end sooner and print less than a pipe holds, so that their thread wakes up once instead of three times.
pub(crate) const SHORT_COMMAND_WAIT: Duration = Duration::from_millis(10);

/// Timeout for a program to read typed input, and for a closed terminal to record the exit of its program.
pub(crate) const INPUT_TIMEOUT: Duration = Duration::from_secs(5);

/// Time without changes before a tools folder is read again: editors write, rename and remove in bursts.
pub(crate) const QUIET_PERIOD: Duration = Duration::from_millis(80);

/// Maximum time to wait for [`QUIET_PERIOD`] while changes continue.
pub(crate) const MAX_BURST: Duration = Duration::from_secs(1);

/// Time before a broken file is reported. Slow writers have finished by then.
pub(crate) const BROKEN_FILE_GRACE: Duration = Duration::from_secs(1);
