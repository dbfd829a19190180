//! The watcher thread of one event source: it waits for events, reads the views that may have
//! changed, and notifies subscribers.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, hash_map::DefaultHasher},
    hash::{Hash, Hasher},
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use deskhand_engine::{
    Call, CallError, CallFailure, CallOptions, ClipboardChanges, Engine, Event, EventKind,
    EventStream, ToolKey, Vocabulary,
};
use deskhand_model::NodeId;
use serde_json::{Value, json};

use super::{
    control::WatchControl,
    event_json,
    event_source::{EventSource, WatchedView},
    registry::Subscriptions,
    schedule::{ReadReason, ReadSchedule, SilencePolicy},
};
use crate::timing;

/// Maximum number of events taken at once.
const MAX_EVENTS: usize = 500;

/// The connection to the event source.
enum EventInput {
    EventStream(Box<dyn EventStream>),
    ClipboardChanges(Box<dyn ClipboardChanges>),
}

/// The state of the watcher after a step.
#[derive(PartialEq, Eq)]
enum WatcherStatus {
    Running,
    SourceGone,
}

/// A watcher thread.
pub(super) struct ViewWatcher {
    source: EventSource,
    control: Arc<WatchControl>,
    engine: Arc<Engine>,
    subscriptions: Weak<Subscriptions>,
    input: Option<EventInput>,
    kinds: BTreeSet<EventKind>,
    reconnect_at: Instant,
    views: BTreeMap<WatchedView, ReadSchedule>,
    rereads: Vec<Instant>,
    silence_warned: BTreeSet<WatchedView>,
    windows: HashMap<NodeId, Value>,
}

impl ViewWatcher {
    /// Creates the watcher of an event source.
    pub(super) fn new(
        source: EventSource,
        control: Arc<WatchControl>,
        engine: Arc<Engine>,
        subscriptions: Weak<Subscriptions>,
    ) -> Self {
        Self {
            source,
            control,
            engine,
            subscriptions,
            input: None,
            kinds: BTreeSet::new(),
            reconnect_at: Instant::now(),
            views: BTreeMap::new(),
            rereads: Vec::new(),
            silence_warned: BTreeSet::new(),
            windows: HashMap::new(),
        }
    }

    /// Runs until the last subscription ends or the event source is gone.
    pub(super) fn run(mut self) {
        while !self.control.is_stopped() {
            let Some(subscriptions) = self.subscriptions.upgrade() else { return };
            subscriptions.remove_expired_leases(Instant::now());
            if self.update_views(&subscriptions) == WatcherStatus::SourceGone
                || self.wait_for_events(&subscriptions) == WatcherStatus::SourceGone
                || self.read_due_views(&subscriptions) == WatcherStatus::SourceGone
            {
                self.finish(&subscriptions);
                return;
            }
        }
    }

    /// Starts and stops to watch views, as the subscriptions require.
    fn update_views(&mut self, subscriptions: &Subscriptions) -> WatcherStatus {
        let mut wanted = self.control.views();
        if self.source == EventSource::Desktop {
            wanted.insert(WatchedView::Apps);
        }
        self.views.retain(|view, _| wanted.contains(view));
        let kinds: BTreeSet<EventKind> =
            wanted.iter().flat_map(|view| view.event_kinds()).copied().collect();
        if kinds != self.kinds {
            (self.input, self.kinds, self.reconnect_at) = (None, kinds, Instant::now());
        }
        if self.input.is_none() && self.reconnect_at <= Instant::now() {
            match self.open() {
                Ok(input) => self.input = Some(input),
                Err(failure) if failure.code == "app_not_running" => {
                    return WatcherStatus::SourceGone;
                }
                // Until it succeeds, the views are polled.
                Err(_) => self.reconnect_at = Instant::now() + timing::WATCHER_RECONNECT_DELAY,
            }
        }
        for view in wanted {
            let is_new = !self.views.contains_key(&view);
            if is_new {
                self.views.insert(view, ReadSchedule::new(view.change_delay(), Instant::now()));
                if self.read_view(view, subscriptions).is_err() {
                    return WatcherStatus::SourceGone;
                }
            }
            // A subscriber may wait for a view that is already watched.
            self.control.mark_ready(view);
        }
        WatcherStatus::Running
    }

    fn open(&self) -> Result<EventInput, CallFailure> {
        let mut kinds: Vec<EventKind> = self.kinds.iter().copied().collect();
        match self.source {
            EventSource::Clipboard => {
                self.engine.watch_clipboard().map(EventInput::ClipboardChanges)
            }
            EventSource::Desktop => self.engine.watch(None, &kinds).map(EventInput::EventStream),
            EventSource::App(pid) => {
                kinds.push(EventKind::AppQuit);
                self.engine.watch(Some(&pid.to_string()), &kinds).map(EventInput::EventStream)
            }
        }
    }

    /// Waits for events until the next read is due.
    fn wait_for_events(&mut self, subscriptions: &Subscriptions) -> WatcherStatus {
        let now = Instant::now();
        let next = self.views.iter().filter_map(|(view, it)| it.next(self.silence_policy(*view)));
        let next = next.chain(self.rereads.first().copied()).min();
        let wait = next.map_or(timing::WATCHER_TICK, |next| {
            next.saturating_duration_since(now).min(timing::WATCHER_TICK)
        });
        let events = match &mut self.input {
            None => {
                std::thread::sleep(wait.max(Duration::from_millis(1)));
                return WatcherStatus::Running;
            }
            Some(EventInput::ClipboardChanges(changes)) => match changes.next(wait) {
                Ok(true) => {
                    self.mark_changed(Instant::now(), |_| true);
                    return WatcherStatus::Running;
                }
                Ok(false) => return WatcherStatus::Running,
                Err(_) => None,
            },
            Some(EventInput::EventStream(events)) => collect_events(&mut **events, wait),
        };
        let Some(events) = events else {
            (self.input, self.reconnect_at) =
                (None, Instant::now() + timing::WATCHER_RECONNECT_DELAY);
            return WatcherStatus::Running;
        };
        let now = Instant::now();
        for event in &events {
            match (self.source, event.kind) {
                (EventSource::App(_), EventKind::AppQuit) => return WatcherStatus::SourceGone,
                (EventSource::Desktop, EventKind::AppStarted) => {
                    self.rereads =
                        timing::APP_START_READS.iter().map(|later| now + *later).collect();
                }
                (EventSource::App(_) | EventSource::Desktop | EventSource::Clipboard, _) => {}
            }
            self.mark_changed(now, |view| view.event_kinds().contains(&event.kind));
        }
        if self.views.contains_key(&WatchedView::Events) {
            self.report_events(events, subscriptions);
        }
        WatcherStatus::Running
    }

    fn mark_changed(&mut self, now: Instant, is_affected: impl Fn(WatchedView) -> bool) {
        for (view, schedule) in &mut self.views {
            if is_affected(*view) {
                schedule.record_event(now);
            }
        }
    }

    /// Returns whether missing events mean that nothing has changed.
    fn silence_policy(&self, view: WatchedView) -> SilencePolicy {
        let is_wanted = self.source != EventSource::Desktop || self.control.views().contains(&view);
        if self.input.is_none() || (view.is_polled_in_silence() && is_wanted) {
            SilencePolicy::Poll
        } else {
            SilencePolicy::Trust
        }
    }

    fn read_due_views(&mut self, subscriptions: &Subscriptions) -> WatcherStatus {
        let now = Instant::now();
        if self.rereads.first().is_some_and(|at| *at <= now) {
            self.rereads.remove(0);
            self.mark_changed(now, |_| true);
        }
        let views: Vec<WatchedView> = self.views.keys().copied().collect();
        for view in views {
            let silence = self.silence_policy(view);
            let Some(schedule) = self.views.get_mut(&view) else { continue };
            let Some(reason) = schedule.due_reason(silence, Instant::now()) else { continue };
            if reason == ReadReason::Silent
                && view != WatchedView::Events
                && self.silence_warned.insert(view)
            {
                subscriptions.warn_silent(self.source, view);
            }
            match self.read_view(view, subscriptions) {
                Ok(true) if view != WatchedView::Events && !self.control.is_stopped() => {
                    subscriptions.notify_changed(self.source, view);
                }
                Ok(_) => {}
                Err(()) => return WatcherStatus::SourceGone,
            }
        }
        WatcherStatus::Running
    }

    /// Reads a view. Returns `true` if it has changed, and an error if its app has exited.
    fn read_view(&mut self, view: WatchedView, subscriptions: &Subscriptions) -> Result<bool, ()> {
        let began = Instant::now();
        let digest = match view.read_tool(self.source) {
            None => 0,
            Some((tool, arguments)) => match self.call(tool, arguments) {
                Ok(data) => {
                    if view == WatchedView::Apps {
                        subscriptions.update_running_apps(&data);
                    }
                    text_digest(&data.to_string())
                }
                Err(failure) if failure.code == "app_not_running" => return Err(()),
                Err(failure) if failure.code == "timeout" => {
                    if let Some(schedule) = self.views.get_mut(&view) {
                        schedule.record_failure(Instant::now());
                    }
                    return Ok(false);
                }
                Err(failure) => text_digest(&failure.code),
            },
        };
        let schedule = self.views.get_mut(&view);
        Ok(schedule.is_some_and(|schedule| schedule.record_read(digest, began, Instant::now())))
    }

    /// Reports events to the subscribers of the event view.
    fn report_events(&mut self, events: Vec<Event>, subscriptions: &Subscriptions) {
        let events: Vec<Event> = events.into_iter().filter(event_json::is_relevant).collect();
        if events.is_empty() {
            return;
        }
        let EventSource::App(pid) = self.source else { return };
        let ids: BTreeSet<&str> =
            events.iter().filter_map(|event| event.node.as_ref()).map(NodeId::as_str).collect();
        // Elements that no longer exist are reported without a name.
        let about = self
            .call(Vocabulary::Resources.tool("view_elements"), json!({ "pid": pid, "ids": ids }));
        let known = about.unwrap_or_default();
        let mut reported = Vec::new();
        for event in &events {
            let mut about = Value::Null;
            if let Some(node) = &event.node {
                let at = ids.iter().position(|id| *id == node.as_str());
                about = at.map(|at| known["elements"][at].clone()).unwrap_or_default();
                match event.kind {
                    EventKind::WindowCreated | EventKind::WindowActivated => {
                        self.windows.insert(node.clone(), about.clone());
                    }
                    EventKind::WindowDestroyed => {
                        about = self.windows.remove(node).unwrap_or(about);
                    }
                    EventKind::ValueChanged
                    | EventKind::FocusChanged
                    | EventKind::TitleChanged
                    | EventKind::StateChanged
                    | EventKind::ChildrenChanged
                    | EventKind::SelectionChanged
                    | EventKind::AppStarted
                    | EventKind::AppQuit => {}
                }
            }
            reported.extend(event_json::to_json(event, &about));
        }
        let has_news = !reported.is_empty();
        self.control.add_events(reported);
        if has_news && !self.control.is_stopped() {
            subscriptions.notify_changed(self.source, WatchedView::Events);
        }
    }

    /// Sends a last notification to all subscribers and ends the subscriptions of the app.
    fn finish(&self, subscriptions: &Subscriptions) {
        for view in self.control.views() {
            subscriptions.notify_changed(self.source, view);
        }
        subscriptions.detach(self.source, &self.control);
        self.control.stop();
    }

    fn call(&self, tool: ToolKey, arguments: Value) -> Result<Value, CallFailure> {
        let call = Call::internal(tool, arguments);
        match self.engine.call(call, &CallOptions::non_interactive(&|_| true)) {
            Ok(answer) => Ok(answer.data),
            Err(CallError::Failure(failure)) => Err(failure),
            // Internal calls never ask the user.
            Err(CallError::Pause(_)) => Ok(Value::Null),
        }
    }
}

/// Collects the events of a time span, and those that follow immediately. Returns `None` if the
/// connection is lost.
fn collect_events(events: &mut dyn EventStream, wait: Duration) -> Option<Vec<Event>> {
    let mut all = Vec::new();
    let mut wait = wait;
    while all.len() < MAX_EVENTS {
        match events.next(wait) {
            Ok(Some(event)) => all.push(event),
            Ok(None) => break,
            Err(_) => return None,
        }
        wait = Duration::from_millis(1);
    }
    Some(all)
}

fn text_digest(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
