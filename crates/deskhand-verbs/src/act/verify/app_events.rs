//! Accessibility events of the apps that actions target.
//!
//! A listener stays open for a while between actions. Before the next action it is therefore known
//! which elements of the app change by themselves.

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

use super::{side_effects, snapshot_cache::SnapshotCache};
use crate::{Context, Result, act::timing};

/// The number of events that a listener keeps.
const MAX_EVENTS: usize = 4_096;

/// The number of actions that a listener keeps.
const MAX_ACTIONS: usize = 64;

/// The events that an action can cause.
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

/// The open event listeners of one desktop, shared by all calls.
#[derive(Default)]
pub struct EventListeners {
    active: Arc<Mutex<ActiveListeners>>,
}

type ActiveListeners = HashMap<AppId, ActiveListener>;

struct ActiveListener {
    app: App,
    listener: Arc<EventListener>,
}

impl EventListeners {
    /// Returns the listener of an app if it is running.
    pub(crate) fn get(&self, app: &AppId) -> Option<Arc<EventListener>> {
        let active = self.active.lock();
        active.get(app).filter(|one| one.listener.is_open()).map(|one| Arc::clone(&one.listener))
    }

    /// Returns the app of a process that has a listener. Such an app is certainly still running.
    pub(crate) fn app_by_pid(&self, pid: u32) -> Option<App> {
        let active = self.active.lock();
        let mut known = active.values().filter(|one| one.listener.is_open() && one.app.pid == pid);
        known.next().map(|one| one.app.clone())
    }

    /// Returns the listener of an app and starts it if necessary; `None` if the app cannot be
    /// listened to, such as a browser with a list so long that events would freeze it.
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
        // Without a listener, effects are found by reading the tree, only later.
        let mut events = desktop.tree.watch(Some(&app.id), EVENT_KINDS, deadline).ok()?;
        let listener = Arc::new(EventListener::new());
        let active_listener = ActiveListener { app: app.clone(), listener: Arc::clone(&listener) };
        self.active.lock().insert(app.id.clone(), active_listener);
        let thread = {
            let (listener, active) = (Arc::clone(&listener), Arc::clone(&self.active));
            let id = app.id.clone();
            std::thread::Builder::new().name("event-listener".to_owned()).spawn(move || {
                while listener.is_in_use() {
                    match events.next(timing::LISTENER_POLL_INTERVAL) {
                        Ok(Some(Event { kind: EventKind::AppQuit, .. })) | Err(_) => break,
                        Ok(Some(event)) => listener.record(event),
                        Ok(None) => {}
                    }
                }
                drop(events);
                close(&active, &id, &listener);
            })
        };
        if thread.is_err() {
            close(&self.active, &app.id, &listener);
            return None;
        }
        Some(listener)
    }
}

/// Closes a listener and removes it with its events and its snapshot.
fn close(active: &Mutex<ActiveListeners>, app: &AppId, listener: &Arc<EventListener>) {
    listener.closed.store(true, Ordering::Release);
    let mut active = active.lock();
    // Another call may have started a new listener for the app.
    if active.get(app).is_some_and(|one| Arc::ptr_eq(&one.listener, listener)) {
        active.remove(app);
    }
}

/// Runs a search while a listener starts in parallel. Listening begins before the search ends.
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
    /// The number of events dropped before the first one kept.
    dropped_count: usize,
    last_used: Instant,
}

/// Receives and keeps the events of one app.
pub(crate) struct EventListener {
    log: Mutex<EventLog>,
    /// The latest snapshot of the app.
    pub(crate) cache: Mutex<SnapshotCache>,
    actions: Mutex<Vec<ActionRecord>>,
    arrived: Condvar,
    started: Instant,
    closed: AtomicBool,
    abandoned: AtomicBool,
}

/// An action with a confirmed effect.
struct ActionRecord {
    /// The target of the action.
    target: NodeId,
    /// The elements that it changed.
    changed_nodes: Vec<NodeId>,
    from: EventPosition,
    to: EventPosition,
}

impl ActionRecord {
    /// Returns `true` if the action caused the event of an element at this position.
    fn explains(&self, node: &NodeId, at: EventPosition) -> bool {
        self.from <= at && at < self.to && self.changed_nodes.contains(node)
    }
}

/// A position in the sequence of events.
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

    /// Returns the position after the latest event.
    pub(crate) fn position(&self) -> EventPosition {
        let log = self.log.lock();
        EventPosition(log.dropped_count + log.events.len())
    }

    /// Returns `true` if no event since this position was dropped.
    pub(crate) fn has_all_since(&self, position: EventPosition) -> bool {
        self.log.lock().dropped_count <= position.0
    }

    /// Returns the events since a position.
    pub(crate) fn events_since(&self, position: EventPosition) -> Vec<Event> {
        let log = self.log.lock();
        let from = position.0.saturating_sub(log.dropped_count).min(log.events.len());
        log.events[from..].iter().map(|(_, event)| event.clone()).collect()
    }

    /// Waits until an event arrives after a position, or the time is over.
    pub(crate) fn wait_for_event(&self, position: EventPosition, wait: Duration) {
        let mut log = self.log.lock();
        let quiet = |log: &mut EventLog| log.dropped_count + log.events.len() <= position.0;
        // Callers read `events_since` either way, so it does not matter what ended the wait.
        let _timed_out = self.arrived.wait_while_for(&mut log, quiet, wait);
    }

    /// Waits until no event has arrived for a while, so that effects of an earlier action are over.
    pub(crate) fn wait_until_quiet(&self, quiet: Duration, limit: Duration) {
        let started = Instant::now();
        while started.elapsed() < limit {
            let Some(rest) = quiet.checked_sub(self.quiet_time()) else { break };
            self.wait_for_event(self.position(), rest);
        }
    }

    /// Returns the time since the last event.
    pub(crate) fn quiet_time(&self) -> Duration {
        self.log.lock().events.last().map_or(self.started, |(at, _)| *at).elapsed()
    }

    /// Returns `true` if elements changed since a position; `None` stands for the start of the
    /// listener.
    pub(crate) fn has_changes_since(&self, position: Option<EventPosition>) -> bool {
        let events = self.events_since(position.unwrap_or(EventPosition(0)));
        events.iter().any(side_effects::is_self_update)
    }

    /// Returns how long an element was quiet before a position. Events that earlier actions on the
    /// same target caused do not count.
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
        // The event after the position, or now: the element may have been quiet only since the action.
        let end = log.events.get(until).map_or_else(Instant::now, |(at, _)| *at);
        end.saturating_duration_since(last)
    }

    /// Returns the elements that repeatedly sent such events shortly before a position. Three
    /// bursts are required, because the user or another program may cause one or two. If the
    /// listener is younger than `time`, one is enough. Events that earlier actions caused do not
    /// count.
    pub(crate) fn self_updating(
        &self,
        position: EventPosition,
        time: Duration,
        kind: impl Fn(&Event) -> bool,
    ) -> HashSet<NodeId> {
        let required_bursts = if self.started.elapsed() < time { 1 } else { 3 };
        let actions = self.actions.lock();
        let log = self.log.lock();
        let until = position.0.saturating_sub(log.dropped_count).min(log.events.len());
        let mut bursts: HashMap<&NodeId, (Instant, usize)> = HashMap::new();
        let recent =
            log.events[..until].iter().enumerate().filter(|(_, (at, _))| at.elapsed() < time);
        for (index, (at, event)) in recent {
            let Some(node) = event.node.as_ref().filter(|_| kind(event)) else { continue };
            let position = EventPosition(log.dropped_count + index);
            if actions.iter().any(|action| action.explains(node, position)) {
                continue;
            }
            let burst = bursts.entry(node).or_insert((*at, 1));
            if at.duration_since(burst.0) > timing::BURST_GAP {
                *burst = (*at, burst.1 + 1);
            }
        }
        let frequent = bursts.into_iter().filter(|(_, (_, count))| *count >= required_bursts);
        frequent.map(|(node, _)| node.clone()).collect()
    }

    /// Records the elements that an action on a target has changed since a position.
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
    use deskhand_platform::{NodeFields, WalkOptions};

    use super::*;
    use crate::testing::FakeCallEnv;

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
    fn the_listener_of_an_app_that_has_quit_is_removed() {
        let env = FakeCallEnv::new(Vec::new());
        let (cx, app) = (env.context(), env.fake.app());
        let listener = cx.listeners.get_or_start(cx.desktop, &app, cx.deadline).unwrap();
        assert!(cx.listeners.active.lock().contains_key(&app.id));
        env.fake.on_call(|app, _, _| app.emit(EventKind::AppQuit, "app"));
        let within = WalkOptions::with_fields(NodeFields::MINIMAL);
        cx.desktop.tree.walk(&app, &app.root, &within, cx.deadline).unwrap();
        let started = Instant::now();
        // The last owner of its events and its snapshot is this test.
        while Arc::strong_count(&listener) > 1 && started.elapsed() < Duration::from_secs(9) {
            std::thread::sleep(Duration::from_millis(1));
        }
        assert_eq!(Arc::strong_count(&listener), 1);
        assert!(cx.listeners.active.lock().is_empty());
        assert!(!listener.is_open() && cx.listeners.get(&app.id).is_none());
    }

    #[test]
    fn a_closing_listener_does_not_remove_its_successor() {
        let env = FakeCallEnv::new(Vec::new());
        let (cx, app) = (env.context(), env.fake.app());
        let current = cx.listeners.get_or_start(cx.desktop, &app, cx.deadline).unwrap();
        close(&cx.listeners.active, &app.id, &Arc::new(EventListener::new()));
        assert!(Arc::ptr_eq(&cx.listeners.get(&app.id).unwrap(), &current));
    }

    #[test]
    fn only_events_after_the_position_are_returned() {
        let listener = EventListener::new();
        listener.record(event("old"));
        let position = listener.position();
        assert!(listener.events_since(position).is_empty());
        listener.record(event("new"));
        assert_eq!(listener.events_since(position), [event("new")]);
    }

    #[test]
    fn positions_stay_valid_after_events_are_dropped() {
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
    fn an_element_with_repeated_events_is_self_updating() {
        let listener = EventListener::new();
        listener.record(event("clock"));
        std::thread::sleep(Duration::from_millis(60));
        listener.record(event("clock"));
        let (position, button) = (listener.position(), NodeId::new("button"));
        let quiet = |node: &str| listener.quiet_time_before(position, &NodeId::new(node), &button);
        assert!(quiet("clock") < quiet("label"), "the label never sent an event");
        let self_updating = listener.self_updating(position, Duration::from_secs(9), |_| true);
        assert_eq!(self_updating, HashSet::from([NodeId::new("clock")]));
    }

    #[test]
    fn events_caused_by_earlier_actions_do_not_count_as_self_updates() {
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
        assert!(quiet(&button) < Duration::from_millis(60), "no action explains the last event");
    }

    #[test]
    fn a_display_that_earlier_actions_changed_is_not_self_updating() {
        let listener = EventListener::new();
        let display = NodeId::new("display");
        for button in ["6", "×", "7"] {
            let sent = listener.position();
            listener.record(event("display"));
            listener.record_effect(&NodeId::new(button), vec![display.clone()], sent);
            std::thread::sleep(timing::BURST_GAP * 2);
        }
        let self_updating =
            || listener.self_updating(listener.position(), Duration::from_secs(9), |_| true);
        assert!(self_updating().is_empty(), "the actions explain all events");
        listener.record(event("display"));
        assert_eq!(self_updating(), HashSet::from([display]));
    }
}
