//! Waiting until an app is idle.

use std::time::{Duration, Instant};

use deskhand_model::{App, EventKind, Node, Snapshot, State, diff::Diff};
use deskhand_platform::{Deadline, Error as Below, WalkOptions};

use crate::{
    Context, ProgressEvent, Result,
    act::{target, verify::side_effects},
    timing,
};

/// The number of unchanged reads in a row that make an app idle.
const UNCHANGED_READS: u32 = 2;

/// The result of waiting for an idle app.
#[derive(Debug)]
pub struct IdleWait {
    /// The time waited.
    pub waited: Duration,
    /// The activity at the end of the timeout; `None` if the app is idle.
    pub busy_with: Option<String>,
}

/// Reads an app repeatedly until it no longer changes, or the timeout is over.
pub fn wait_until_idle(
    cx: &Context<'_>,
    app: &App,
    timeout: Duration,
    poll: Duration,
) -> Result<IdleWait> {
    let started = Instant::now();
    // Without a listener, the reads alone decide.
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
        let within = WalkOptions::with_fields(target::SNAPSHOT_FACETS);
        let busy = match cx.desktop.tree.walk(
            app,
            &app.root,
            &within,
            Deadline::after(timing::IDLE_READ_TIMEOUT),
        ) {
            Ok(now) => {
                let changed = || last.as_ref().and_then(|last| change(last, &now));
                let reported = || {
                    let event = events.iter().find(|event| is_activity(event.kind))?;
                    Some(format!("it reports {}", event.kind.word()))
                };
                let busy = busy_element(&now).or_else(changed).or_else(reported);
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
        // A single read proves nothing, however short the timeout is.
        let is_over = waited >= timeout && (unchanged > 0 || busy.is_some());
        if unchanged >= UNCHANGED_READS || is_over {
            return Ok(IdleWait { waited, busy_with: busy });
        }
        report_progress(cx, app, waited, timeout, busy.as_deref());
        cx.cancel.sleep(poll.min(timeout.saturating_sub(waited).max(timing::MIN_IDLE_POLL)))?;
    }
}

/// Returns `true` if an event shows that the app is working. Focus events do not.
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

/// Returns a change that is not a clock.
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
    let message = match busy {
        Some(busy) => format!("waiting for {}: {busy}", app.name),
        None => format!("waiting for {}", app.name),
    };
    let done = waited.min(timeout).as_millis() as f64;
    // It makes no difference if the caller still listens.
    let _still_listening =
        (cx.progress)(ProgressEvent::progress(done, Some(timeout.as_millis() as f64), message));
}
