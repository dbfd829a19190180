//! Waiting until an app has nothing more to do.

use std::time::{Duration, Instant};

use deskhand_model::{App, EventKind, Node, Snapshot, State, diff::Diff};
use deskhand_platform::{Deadline, Error as Below, Extent};

use crate::{
    Context, ProgressEvent, Result,
    act::{target, verify::side_effects},
    timing,
};

/// How many times in a row nothing may have changed.
const UNCHANGED_READS: u32 = 2;

/// What came of waiting.
#[derive(Debug)]
pub struct IdleWait {
    /// How long it took.
    pub waited: Duration,
    /// What it was still doing when the time was over.
    pub busy_with: Option<String>,
}

/// Looks at an app again and again until it stays as it is, or the time is over.
pub fn wait_until_idle(
    cx: &Context<'_>,
    app: &App,
    timeout: Duration,
    poll: Duration,
) -> Result<IdleWait> {
    let started = Instant::now();
    // An app that cannot be listened to is still looked at.
    let listener =
        cx.listeners.get_or_start(cx.desktop, app, Deadline::after(timing::IDLE_READ_TIMEOUT));
    let mut last: Option<Snapshot> = None;
    let mut position = listener.as_ref().map(|listener| listener.position());
    let mut unchanged = 0;
    loop {
        let now = listener.as_ref().map(|listener| listener.position());
        let events = listener
            .as_ref()
            .zip(position)
            .map_or_else(Vec::new, |(listener, position)| listener.events_since(position));
        position = now;
        let within = Extent::of(target::SNAPSHOT_FACETS);
        let busy = match cx.desktop.tree.walk(
            app,
            &app.root,
            &within,
            Deadline::after(timing::IDLE_READ_TIMEOUT),
        ) {
            Ok(now) => {
                let changed = || last.as_ref().and_then(|last| change(last, &now));
                let event = || {
                    let event = events.iter().find(|event| is_activity(event.kind))?;
                    Some(format!("it reports {}", event.kind.word()))
                };
                let busy = busy_element(&now).or_else(changed).or_else(event);
                unchanged = if busy.is_none() && last.is_some() { unchanged + 1 } else { 0 };
                last = Some(now);
                busy
            }
            Err(Below::Timeout { .. }) => {
                (last, unchanged) = (None, 0);
                Some(format!("{} does not answer", app.name))
            }
            Err(error) => return Err(error.into()),
        };
        let waited = started.elapsed();
        // One look tells nothing, however short the time is.
        let is_over = waited >= timeout && (unchanged > 0 || busy.is_some());
        if unchanged >= UNCHANGED_READS || is_over {
            return Ok(IdleWait { waited, busy_with: busy });
        }
        report_progress(cx, app, waited, timeout, busy.as_deref());
        cx.cancel.sleep(poll.min(timeout.saturating_sub(waited).max(timing::MIN_IDLE_POLL)))?;
    }
}

/// Whether a report shows that an app does something; where the keyboard is says nothing.
fn is_activity(kind: EventKind) -> bool {
    match kind {
        EventKind::ValueChanged
        | EventKind::TitleChanged
        | EventKind::ChildrenChanged
        | EventKind::WindowCreated
        | EventKind::WindowDestroyed => true,
        EventKind::StateChanged
        | EventKind::SelectionChanged
        | EventKind::FocusChanged
        | EventKind::WindowActivated
        | EventKind::AppStarted
        | EventKind::AppQuit => false,
    }
}

fn busy_element(now: &Snapshot) -> Option<String> {
    let is_busy = |node: &&Node| node.states.has(State::Busy) && node.states.has(State::Showing);
    let mut busy = now.iter().map(|(_, node)| node).filter(is_busy);
    busy.next().map(|node| format!("{} is busy", target::label(node)))
}

/// What is different and is no clock.
fn change(before: &Snapshot, now: &Snapshot) -> Option<String> {
    let changes = side_effects::differences(before, now, &std::collections::HashSet::new());
    if let Some(sign) = changes.first() {
        return Some(sign.to_string());
    }
    let diff = Diff::between(before, now);
    let mut moved = diff.changed.iter().filter_map(|one| {
        let (was, is) = (before.node(one.before), now.node(one.after));
        (is.role == deskhand_model::Role::ProgressBar && was.value != is.value).then_some(is)
    });
    moved.next().map(|node| format!("{} moves", target::label(node)))
}

fn report_progress(
    cx: &Context<'_>,
    app: &App,
    waited: Duration,
    timeout: Duration,
    busy: Option<&str>,
) {
    let words = match busy {
        Some(busy) => format!("waiting for {}: {busy}", app.name),
        None => format!("waiting for {}", app.name),
    };
    let done = waited.min(timeout).as_millis() as f64;
    // Whether anybody hears it changes nothing.
    let _still_listening =
        (cx.progress)(ProgressEvent::progress(done, Some(timeout.as_millis() as f64), words));
}
