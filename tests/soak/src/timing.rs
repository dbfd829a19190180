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
/// The owner of a desktop ends it within this time.
pub(crate) const EXIT_WAIT: Duration = Duration::from_secs(10);
/// An independent reader that takes longer is killed.
pub(crate) const ORACLE_TIMEOUT: Duration = Duration::from_secs(12);
/// The time limit for all steps of an app of the referee.
pub(crate) const UNSEEN_APP_LIMIT: Duration = Duration::from_secs(180);
/// The window of an app opens within this time.
pub(crate) const UNSEEN_START_TIMEOUT: Duration = Duration::from_secs(45);
/// A new app has finished its start when its tree has not changed for this long.
pub(crate) const UNSEEN_QUIET_PERIOD: Duration = Duration::from_millis(600);
/// The time limit for an app to become quiet. Apps with a clock never do.
pub(crate) const UNSEEN_QUIET_TIMEOUT: Duration = Duration::from_secs(8);
/// An effect that was reported as confirmed shows within this time.
pub(crate) const CLAIMED_EFFECT_WAIT: Duration = Duration::from_secs(3);
/// Any other effect shows within this time.
pub(crate) const LATE_EFFECT_WAIT: Duration = Duration::from_millis(1_500);
/// The time after which a fact that must stay true is checked.
pub(crate) const SETTLE_WAIT: Duration = Duration::from_millis(700);
/// The interval between two evaluations of an oracle.
pub(crate) const ORACLE_INTERVAL: Duration = Duration::from_millis(60);
/// A call has a deadline of 5 s. One that takes longer than this counts as slow.
pub(crate) const SLOW_CALL: Duration = Duration::from_millis(5_500);
