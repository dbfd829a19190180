//! What apps report while they are acted on. An ear stays open for a while between actions, so that
//! what an app does on its own is known before the next one.

use std::{
    collections::{HashMap, HashSet},
    sync::{
        Arc,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use deskhand_model::{App, AppId, Event, EventKind, NodeId};
use deskhand_platform::{Deadline, Desktop};
use parking_lot::{Condvar, Mutex};

use super::snapshot_cache::SnapshotCache;
use crate::{Context, Result, act::timing};

/// How many reports are remembered.
const MAX_EVENTS: usize = 4_096;

/// How many actions are remembered.
const MAX_ACTIONS: usize = 64;

/// What is listened for: all that an action can bring about.
const EVENT_KINDS: &[EventKind] = &[
    EventKind::ValueChanged,
    EventKind::FocusChanged,
    EventKind::WindowCreated,
    EventKind::WindowDestroyed,
    EventKind::WindowActivated,
    EventKind::TitleChanged,
    EventKind::StateChanged,
    EventKind::ChildrenChanged,
    EventKind::SelectionChanged,
    EventKind::AppQuit,
];

/// What is remembered between calls on one desktop.
#[derive(Default)]
pub struct EventListeners {
    active: Mutex<HashMap<AppId, ActiveListener>>,
}

struct ActiveListener {
    app: App,
    listener: Arc<EventListener>,
}

impl EventListeners {
    /// The ear on an app that is open already.
    pub(crate) fn get(&self, app: &AppId) -> Option<Arc<EventListener>> {
        let active = self.active.lock();
        active.get(app).filter(|one| one.listener.is_open()).map(|one| Arc::clone(&one.listener))
    }

    /// The app of a process that is listened to, and so known to be there still.
    pub(crate) fn app_by_pid(&self, pid: u32) -> Option<App> {
        let active = self.active.lock();
        let mut known = active.values().filter(|one| one.listener.is_open() && one.app.pid == pid);
        known.next().map(|one| one.app.clone())
    }

    /// The open ear on an app; opened if there is none. `None` where the app must not be listened
    /// to, such as a browser with a list so long that it would freeze.
    pub(crate) fn get_or_start(
        &self,
        desktop: &Desktop,
        app: &App,
        deadline: Deadline,
    ) -> Option<Arc<EventListener>> {
        if let Some(listener) = self.get(&app.id) {
            listener.touch();
            return Some(listener);
        }
        // Without an ear what happened is seen by looking again, only later.
        let mut events = desktop.tree.watch(Some(&app.id), EVENT_KINDS, deadline).ok()?;
        let listener = Arc::new(EventListener::new());
        let thread = {
            let listener = Arc::clone(&listener);
            std::thread::Builder::new().name("ear".to_owned()).spawn(move || {
                while listener.is_in_use() {
                    match events.next(timing::LISTENER_POLL_INTERVAL) {
                        Ok(Some(Event { kind: EventKind::AppQuit, .. })) | Err(_) => break,
                        Ok(Some(event)) => listener.record(event),
                        Ok(None) => {}
                    }
                }
                listener.closed.store(true, Ordering::Release);
            })
        };
        thread.ok()?;
        let active_listener = ActiveListener { app: app.clone(), listener: Arc::clone(&listener) };
        self.active.lock().insert(app.id.clone(), active_listener);
        Some(listener)
    }
}

/// Finds something while an ear is opened on the app beside it; listening begins before the search
/// ends.
pub(crate) fn find_while_listening<T>(
    cx: &Context<'_>,
    app: &App,
    find: impl FnOnce() -> Result<T>,
) -> Result<(T, Option<Arc<EventListener>>)> {
    std::thread::scope(|threads| {
        let listener = threads.spawn(|| cx.listeners.get_or_start(cx.desktop, app, cx.deadline));
        let found = find()?;
        Ok((found, listener.join().unwrap_or_default()))
    })
}

impl Drop for EventListeners {
    fn drop(&mut self) {
        for ActiveListener { listener, .. } in self.active.lock().values() {
            listener.abandoned.store(true, Ordering::Release);
        }
    }
}

struct EventLog {
    events: Vec<(Instant, Event)>,
    /// How many were forgotten before the first that is kept.
    dropped_count: usize,
    last_used: Instant,
}

/// Listens to one app.
pub(crate) struct EventListener {
    log: Mutex<EventLog>,
    /// The last look at the app.
    pub(crate) cache: Mutex<SnapshotCache>,
    actions: Mutex<Vec<ActionRecord>>,
    arrived: Condvar,
    started: Instant,
    closed: AtomicBool,
    abandoned: AtomicBool,
}

/// An action that was seen to work, in what was heard.
struct ActionRecord {
    /// What was acted on.
    target: NodeId,
    /// What changed by it.
    changed_nodes: Vec<NodeId>,
    from: EventPosition,
    to: EventPosition,
}

impl ActionRecord {
    /// Whether what an element reported at a moment came from the action.
    fn explains(&self, node: &NodeId, at: EventPosition) -> bool {
        self.from <= at && at < self.to && self.changed_nodes.contains(node)
    }
}

/// A moment in what was heard.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct EventPosition(usize);

impl EventListener {
    fn new() -> Self {
        let now = Instant::now();
        Self {
            cache: Mutex::default(),
            actions: Mutex::default(),
            log: Mutex::new(EventLog { events: Vec::new(), dropped_count: 0, last_used: now }),
            arrived: Condvar::new(),
            started: now,
            closed: AtomicBool::new(false),
            abandoned: AtomicBool::new(false),
        }
    }

    fn is_open(&self) -> bool {
        !self.closed.load(Ordering::Acquire)
    }

    fn is_in_use(&self) -> bool {
        !self.abandoned.load(Ordering::Acquire)
            && self.log.lock().last_used.elapsed() < timing::LISTENER_IDLE_TIMEOUT
    }

    fn touch(&self) {
        self.log.lock().last_used = Instant::now();
    }

    fn record(&self, event: Event) {
        let mut log = self.log.lock();
        if log.events.len() == MAX_EVENTS {
            log.events.drain(..MAX_EVENTS / 2);
            log.dropped_count += MAX_EVENTS / 2;
        }
        log.events.push((Instant::now(), event));
        drop(log);
        self.arrived.notify_all();
    }

    /// Now.
    pub(crate) fn position(&self) -> EventPosition {
        let log = self.log.lock();
        EventPosition(log.dropped_count + log.events.len())
    }

    /// Whether all that was heard since a moment is remembered.
    pub(crate) fn has_all_since(&self, position: EventPosition) -> bool {
        self.log.lock().dropped_count <= position.0
    }

    /// What was heard since a moment.
    pub(crate) fn events_since(&self, position: EventPosition) -> Vec<Event> {
        let log = self.log.lock();
        let from = position.0.saturating_sub(log.dropped_count).min(log.events.len());
        log.events[from..].iter().map(|(_, event)| event.clone()).collect()
    }

    /// Waits until something was heard after a moment, or the time is over.
    pub(crate) fn wait_for_event(&self, position: EventPosition, wait: Duration) {
        let mut log = self.log.lock();
        let quiet = |log: &mut EventLog| log.dropped_count + log.events.len() <= position.0;
        // Callers read `events_since` either way, so it does not matter what ended the wait.
        let _timed_out = self.arrived.wait_while_for(&mut log, quiet, wait);
    }

    /// How long before a moment an element had been quiet, as far as is known. What it reported
    /// when the same target was acted on before was no stirring of its own.
    pub(crate) fn quiet_time_before(
        &self,
        position: EventPosition,
        node: &NodeId,
        target: &NodeId,
    ) -> Duration {
        let actions = self.actions.lock();
        let log = self.log.lock();
        let until = position.0.saturating_sub(log.dropped_count).min(log.events.len());
        let changed_nodes = |at: usize| {
            let at = EventPosition(log.dropped_count + at);
            actions.iter().any(|action| action.target == *target && action.explains(node, at))
        };
        let last = log.events[..until]
            .iter()
            .enumerate()
            .rev()
            .find(|(at, (_, event))| event.node.as_ref() == Some(node) && !changed_nodes(*at))
            .map_or(self.started, |(_, (at, _))| *at);
        last.elapsed()
    }

    /// The elements that reported something of this kind again and again in the time just before a
    /// moment. One report or two may come from what somebody else did; more come by themselves, and
    /// fewer tell as much when the time is short.
    pub(crate) fn self_updating(
        &self,
        position: EventPosition,
        time: Duration,
        kind: impl Fn(&Event) -> bool,
    ) -> HashSet<NodeId> {
        let many = if self.started.elapsed() < time { 1 } else { 3 };
        let log = self.log.lock();
        let until = position.0.saturating_sub(log.dropped_count).min(log.events.len());
        let mut bursts: HashMap<&NodeId, (Instant, usize)> = HashMap::new();
        for (at, event) in log.events[..until].iter().filter(|(at, _)| at.elapsed() < time) {
            let Some(node) = event.node.as_ref().filter(|_| kind(event)) else { continue };
            let burst = bursts.entry(node).or_insert((*at, 1));
            if at.duration_since(burst.0) > timing::BURST_GAP {
                *burst = (*at, burst.1 + 1);
            }
        }
        let often = bursts.into_iter().filter(|(_, (_, count))| *count >= many);
        often.map(|(node, _)| node.clone()).collect()
    }

    /// Notes what changed when a target was acted on, from a moment until now.
    pub(crate) fn record_effect(
        &self,
        target: &NodeId,
        changed_nodes: Vec<NodeId>,
        from: EventPosition,
    ) {
        let to = self.position();
        let mut actions = self.actions.lock();
        if actions.len() == MAX_ACTIONS {
            actions.remove(0);
        }
        actions.push(ActionRecord { target: target.clone(), changed_nodes, from, to });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn event(node: &str) -> Event {
        Event {
            kind: EventKind::TitleChanged,
            app: AppId("a".to_owned()),
            node: Some(NodeId::new(node)),
            detail: String::new(),
            on: true,
        }
    }

    #[test]
    fn only_what_came_after_the_mark_is_news() {
        let listener = EventListener::new();
        listener.record(event("old"));
        let position = listener.position();
        assert!(listener.events_since(position).is_empty());
        listener.record(event("new"));
        assert_eq!(listener.events_since(position), [event("new")]);
    }

    #[test]
    fn marks_outlive_what_was_forgotten() {
        let listener = EventListener::new();
        let position = listener.position();
        for _ in 0..MAX_EVENTS + 1 {
            listener.record(event("x"));
        }
        assert_eq!(listener.events_since(position).len(), MAX_EVENTS / 2 + 1);
        let later = listener.position();
        listener.record(event("y"));
        assert_eq!(listener.events_since(later).len(), 1);
    }

    #[test]
    fn an_element_that_reports_on_its_own_is_known_to_be_restless() {
        let listener = EventListener::new();
        listener.record(event("clock"));
        std::thread::sleep(Duration::from_millis(60));
        listener.record(event("clock"));
        let (position, button) = (listener.position(), NodeId::new("button"));
        let quiet = |node: &str| listener.quiet_time_before(position, &NodeId::new(node), &button);
        assert!(quiet("clock") < quiet("label"), "the label has kept quiet from the beginning");
        let self_updating = listener.self_updating(position, Duration::from_secs(9), |_| true);
        assert_eq!(self_updating, HashSet::from([NodeId::new("clock")]));
    }

    #[test]
    fn what_answers_to_a_button_each_time_is_not_restless_for_it() {
        let listener = EventListener::new();
        let (button, display) = (NodeId::new("button"), NodeId::new("display"));
        std::thread::sleep(Duration::from_millis(60));
        let sent = listener.position();
        listener.record(event("display"));
        listener.record_effect(&button, vec![display.clone()], sent);
        let quiet =
            |target: &NodeId| listener.quiet_time_before(listener.position(), &display, target);
        assert!(quiet(&button) >= Duration::from_millis(60));
        assert!(quiet(&NodeId::new("other")) < quiet(&button));
        listener.record(event("display"));
        assert!(quiet(&button) < Duration::from_millis(60), "nobody had pressed the button");
    }
}
