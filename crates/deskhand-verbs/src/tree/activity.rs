//! Tells if an app is working or idle, so that no call waits for an app that will not change.

use std::time::{Duration, Instant};

use deskhand_model::App;
use deskhand_platform::Deadline;

use crate::{Context, Result, timing};

/// The share of the waiting time that an idle app may compute, as a divisor.
const MAX_IDLE_CPU_SHARE: u32 = 10;

/// The activity of an app during a wait.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Activity {
    /// The app reported an event, or it was computing.
    Active,
    /// The app reported nothing and used almost no processor time.
    Idle,
}

/// Waits until an app reports an event, at most for this period. Without an event, the processor time
/// of the app decides if it was idle. The app must not be read during the wait.
pub(crate) fn wait_for_activity(cx: &Context<'_>, app: &App, period: Duration) -> Result<Activity> {
    let started = Instant::now();
    let deadline = Deadline::after(timing::LISTENER_START_TIMEOUT);
    let listener = cx.listeners.get_or_start(cx.desktop, app, deadline);
    let position = listener.as_ref().map(|listener| listener.position());
    let cpu_time = || cx.desktop.programs.as_ref().and_then(|all| all.cpu_time(app.pid));
    let before = cpu_time();
    let events = || {
        let (listener, position) = (listener.as_ref()?, position?);
        Some(listener.events_since(position))
    };
    while started.elapsed() < period {
        cx.cancel.sleep(timing::ACTIVITY_POLL_INTERVAL)?;
        if events().is_some_and(|events| !events.is_empty()) {
            return Ok(Activity::Active);
        }
    }
    let computed = cpu_time().zip(before).map(|(now, before)| now.saturating_sub(before));
    Ok(match (listener, computed) {
        (_, Some(computed)) if computed > period / MAX_IDLE_CPU_SHARE => Activity::Active,
        // An app that neither reports events nor shows its processor time may do anything.
        (None, None) => Activity::Active,
        (_, Some(_)) | (Some(_), None) => Activity::Idle,
    })
}
