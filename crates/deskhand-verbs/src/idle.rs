//! Waiting until an app has nothing more to do.

use std::time::{Duration, Instant};

use deskhand_model::{App, EventKind, Node, Snapshot, State, diff::Diff};
use deskhand_platform::{Deadline, Error as Below, Extent};

use super::act::{signs, target};
use crate::{Context, Result, Said};

/// How long one look may take; an app that takes longer is not idle.
const LOOK: Duration = Duration::from_secs(2);

/// The shortest pause between two looks.
const SHORTEST: Duration = Duration::from_millis(10);

/// How many times in a row nothing may have changed.
const CALM: u32 = 2;

/// What came of waiting.
#[derive(Debug)]
pub struct Rest {
    /// How long it took.
    pub waited: Duration,
    /// What it was still doing when the time was over.
    pub busy_with: Option<String>,
}

/// Looks at an app again and again until it stays as it is, or the time is over.
pub fn wait(cx: &Context<'_>, app: &App, timeout: Duration, poll: Duration) -> Result<Rest> {
    let begun = Instant::now();
    // An app that cannot be listened to is still looked at.
    let ear = cx.memory.ear(cx.desktop, app, Deadline::after(LOOK));
    let mut last: Option<Snapshot> = None;
    let mut mark = ear.as_ref().map(|ear| ear.mark());
    let mut calm = 0;
    loop {
        let now = ear.as_ref().map(|ear| ear.mark());
        let heard = ear.as_ref().zip(mark).map_or_else(Vec::new, |(ear, mark)| ear.since(mark));
        mark = now;
        let within = Extent::of(target::SEEN);
        let busy = match cx.desktop.tree.walk(app, &app.root, &within, Deadline::after(LOOK)) {
            Ok(now) => {
                let changed = || last.as_ref().and_then(|last| change(last, &now));
                let stirs = || {
                    let event = heard.iter().find(|event| is_work(event.kind))?;
                    Some(format!("it reports {}", event.kind.word()))
                };
                let busy = busy_element(&now).or_else(changed).or_else(stirs);
                calm = if busy.is_none() && last.is_some() { calm + 1 } else { 0 };
                last = Some(now);
                busy
            }
            Err(Below::Timeout { .. }) => {
                (last, calm) = (None, 0);
                Some(format!("{} does not answer", app.name))
            }
            Err(error) => return Err(error.into()),
        };
        let waited = begun.elapsed();
        // One look tells nothing, however short the time is.
        let is_over = waited >= timeout && (calm > 0 || busy.is_some());
        if calm >= CALM || is_over {
            return Ok(Rest { waited, busy_with: busy });
        }
        say(cx, app, waited, timeout, busy.as_deref());
        cx.stop.sleep(poll.min(timeout.saturating_sub(waited).max(SHORTEST)))?;
    }
}

/// Whether a report shows that an app does something; where the keyboard is says nothing.
fn is_work(kind: EventKind) -> bool {
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
    let signs = signs::between(before, now, &std::collections::HashSet::new());
    if let Some(sign) = signs.first() {
        return Some(sign.to_string());
    }
    let diff = Diff::between(before, now);
    let mut moved = diff.changed.iter().filter_map(|one| {
        let (was, is) = (before.node(one.before), now.node(one.after));
        (is.role == deskhand_model::Role::ProgressBar && was.value != is.value).then_some(is)
    });
    moved.next().map(|node| format!("{} moves", target::label(node)))
}

fn say(cx: &Context<'_>, app: &App, waited: Duration, timeout: Duration, busy: Option<&str>) {
    let words = match busy {
        Some(busy) => format!("waiting for {}: {busy}", app.name),
        None => format!("waiting for {}", app.name),
    };
    let done = waited.min(timeout).as_millis() as f64;
    // Whether anybody hears it changes nothing.
    let _heard = (cx.listener)(Said::progress(done, Some(timeout.as_millis() as f64), words));
}
