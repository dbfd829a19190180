//! Time limits of the soak runs.

use std::time::Duration;

/// A read has a deadline of 2 s. The rest is for starting the process and writing the output.
pub(crate) const READ_LIMIT: Duration = Duration::from_millis(2_500);
/// A resumed app answers within this time.
pub(crate) const RECOVERY_LIMIT: Duration = Duration::from_secs(20);
/// A desktop that takes longer to start, even on a busy machine, counts as a hang.
pub(crate) const DESKTOP_START_TIMEOUT: Duration = Duration::from_secs(10);
/// The time limit for typed text to appear in a busy app.
pub(crate) const TYPED_TEXT_TIMEOUT: Duration = Duration::from_secs(10);
/// The time that each of these apps gets to start.
pub(crate) const APP_START_DURATION: Duration = Duration::from_secs(2);
/// A started app can be read within this time, even on a busy machine.
pub(crate) const APP_READ_TIMEOUT: Duration = Duration::from_secs(20);
/// The interval at which a started app is read until it answers.
pub(crate) const APP_READ_INTERVAL: Duration = Duration::from_millis(50);
