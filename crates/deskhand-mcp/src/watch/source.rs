//! The watcher thread of one event source: it waits for events, reads the views that may have changed,
//! and notifies subscribers.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, hash_map::DefaultHasher},
    hash::{Hash, Hasher},
    sync::{Arc, Weak},
    time::{Duration, Instant},
};

use deskhand_engine::{
    Call, Changes, Door, Engine, Event, EventKind, Events, Failure, Form, Mode, SessionKey,
    Stopped, Surroundings,
};
use deskhand_model::NodeId;
use serde_json::{Value, json};

use super::{
    control::Control,
    happened,
    hub::Hub,
    place::{Place, Sight},
    settle::{Because, Settling, Silence},
};

/// Maximum number of events taken at once.
const AT_ONCE: usize = 500;

/// The connection to the event source.
enum Ear {
    Events(Box<dyn Events>),
    Changes(Box<dyn Changes>),
}

/// The state of the watcher after a step.
#[derive(PartialEq, Eq)]
enum Fate {
    Lives,
    Gone,
}

/// A watcher thread.
pub(super) struct Source {
    place: Place,
    control: Arc<Control>,
    engine: Arc<Engine>,
    hub: Weak<Hub>,
    ear: Option<Ear>,
    kinds: BTreeSet<EventKind>,
    deaf_until: Instant,
    sights: BTreeMap<Sight, Settling>,
    again: Vec<Instant>,
    warned: BTreeSet<Sight>,
    windows: HashMap<NodeId, Value>,
}

impl Source {
    /// Creates the watcher of an event source.
    pub(super) fn new(
        place: Place,
        control: Arc<Control>,
        engine: Arc<Engine>,
        hub: Weak<Hub>,
    ) -> Self {
        Self {
            place,
            control,
            engine,
            hub,
            ear: None,
            kinds: BTreeSet::new(),
            deaf_until: Instant::now(),
            sights: BTreeMap::new(),
            again: Vec::new(),
            warned: BTreeSet::new(),
            windows: HashMap::new(),
        }
    }

    /// Runs until the last subscription ends or the event source is gone.
    pub(super) fn run(mut self) {
        while !self.control.is_stopped() {
            let Some(hub) = self.hub.upgrade() else { return };
            hub.tidy(Instant::now());
            if self.follow(&hub) == Fate::Gone
                || self.listen(&hub) == Fate::Gone
                || self.look_where_due(&hub) == Fate::Gone
            {
                self.quit(&hub);
                return;
            }
        }
    }

    /// Starts and stops to watch views, as the subscriptions require.
    fn follow(&mut self, hub: &Hub) -> Fate {
        let mut wanted = self.control.wanted();
        if self.place == Place::Desk {
            wanted.insert(Sight::Apps);
        }
        self.sights.retain(|sight, _| wanted.contains(sight));
        let kinds: BTreeSet<EventKind> =
            wanted.iter().flat_map(|sight| sight.kinds()).copied().collect();
        if kinds != self.kinds {
            (self.ear, self.kinds, self.deaf_until) = (None, kinds, Instant::now());
        }
        if self.ear.is_none() && self.deaf_until <= Instant::now() {
            match self.open() {
                Ok(ear) => self.ear = Some(ear),
                Err(failure) if failure.code == "app_not_running" => return Fate::Gone,
                // Until it succeeds, the views are polled.
                Err(_) => self.deaf_until = Instant::now() + DEAF,
            }
        }
        for sight in wanted {
            let is_new = !self.sights.contains_key(&sight);
            if is_new {
                self.sights.insert(sight, Settling::new(sight.gathers(), Instant::now()));
                if self.look(sight, hub).is_err() {
                    return Fate::Gone;
                }
            }
            // A subscriber may wait for a view that is already watched.
            self.control.settle(sight);
        }
        Fate::Lives
    }

    fn open(&self) -> Result<Ear, Failure> {
        let mut kinds: Vec<EventKind> = self.kinds.iter().copied().collect();
        match self.place {
            Place::Clipboard => self.engine.watch_clipboard().map(Ear::Changes),
            Place::Desk => self.engine.watch(None, &kinds).map(Ear::Events),
            Place::App(pid) => {
                kinds.push(EventKind::AppQuit);
                self.engine.watch(Some(&pid.to_string()), &kinds).map(Ear::Events)
            }
        }
    }

    /// Waits for events until the next read is due.
    fn listen(&mut self, hub: &Hub) -> Fate {
        let now = Instant::now();
        let next = self.sights.iter().filter_map(|(sight, it)| it.next(self.silence(*sight)));
        let next = next.chain(self.again.first().copied()).min();
        let wait = next.map_or(BREATH, |next| next.saturating_duration_since(now).min(BREATH));
        let heard = match &mut self.ear {
            None => {
                std::thread::sleep(wait.max(Duration::from_millis(1)));
                return Fate::Lives;
            }
            Some(Ear::Changes(changes)) => match changes.next(wait) {
                Ok(true) => {
                    self.note(Instant::now(), |_| true);
                    return Fate::Lives;
                }
                Ok(false) => return Fate::Lives,
                Err(_) => None,
            },
            Some(Ear::Events(events)) => gather(&mut **events, wait),
        };
        let Some(heard) = heard else {
            (self.ear, self.deaf_until) = (None, Instant::now() + DEAF);
            return Fate::Lives;
        };
        let now = Instant::now();
        for event in &heard {
            match (self.place, event.kind) {
                (Place::App(_), EventKind::AppQuit) => return Fate::Gone,
                (Place::Desk, EventKind::AppStarted) => {
                    self.again = AGAIN.iter().map(|later| now + *later).collect();
                }
                (Place::App(_) | Place::Desk | Place::Clipboard, _) => {}
            }
            self.note(now, |sight| sight.kinds().contains(&event.kind));
        }
        if self.sights.contains_key(&Sight::Events) {
            self.tell(heard, hub);
        }
        Fate::Lives
    }

    fn note(&mut self, now: Instant, hears: impl Fn(Sight) -> bool) {
        for (sight, settling) in &mut self.sights {
            if hears(*sight) {
                settling.heard(now);
            }
        }
    }

    /// Returns whether missing events mean that nothing has changed.
    fn silence(&self, sight: Sight) -> Silence {
        let is_wanted = self.place != Place::Desk || self.control.wanted().contains(&sight);
        if self.ear.is_none() || (sight.is_looked_at_in_silence() && is_wanted) {
            Silence::Doubted
        } else {
            Silence::Trusted
        }
    }

    fn look_where_due(&mut self, hub: &Hub) -> Fate {
        let now = Instant::now();
        if self.again.first().is_some_and(|again| *again <= now) {
            self.again.remove(0);
            self.note(now, |_| true);
        }
        let sights: Vec<Sight> = self.sights.keys().copied().collect();
        for sight in sights {
            let silence = self.silence(sight);
            let Some(settling) = self.sights.get_mut(&sight) else { continue };
            let Some(because) = settling.is_due(silence, Instant::now()) else { continue };
            if because == Because::Silent && sight != Sight::Events && self.warned.insert(sight) {
                hub.warn(self.place, sight);
            }
            match self.look(sight, hub) {
                Ok(true) if sight != Sight::Events && !self.control.is_stopped() => {
                    hub.changed(self.place, sight);
                }
                Ok(_) => {}
                Err(()) => return Fate::Gone,
            }
        }
        Fate::Lives
    }

    /// Reads a view. Returns `true` if it has changed, and an error if its app has exited.
    fn look(&mut self, sight: Sight, hub: &Hub) -> Result<bool, ()> {
        let began = Instant::now();
        let mark = match sight.look(self.place) {
            None => 0,
            Some((tool, arguments)) => match self.call(tool, arguments) {
                Ok(data) => {
                    if sight == Sight::Apps {
                        hub.census(&data);
                    }
                    marked(&data.to_string())
                }
                Err(failure) if failure.code == "app_not_running" => return Err(()),
                Err(failure) if failure.code == "timeout" => {
                    if let Some(settling) = self.sights.get_mut(&sight) {
                        settling.missed(Instant::now());
                    }
                    return Ok(false);
                }
                Err(failure) => marked(&failure.code),
            },
        };
        let settling = self.sights.get_mut(&sight);
        Ok(settling.is_some_and(|settling| settling.saw(mark, began, Instant::now())))
    }

    /// Reports events to the subscribers of the event view.
    fn tell(&mut self, heard: Vec<Event>, hub: &Hub) {
        let heard: Vec<Event> = heard.into_iter().filter(happened::is_telling).collect();
        if heard.is_empty() {
            return;
        }
        let Place::App(pid) = self.place else { return };
        let ids: BTreeSet<&str> =
            heard.iter().filter_map(|event| event.node.as_ref()).map(NodeId::as_str).collect();
        // Elements that no longer exist are reported without a name.
        let about = self.call("view_elements", json!({ "pid": pid, "ids": ids }));
        let known = about.unwrap_or_default();
        let mut told = Vec::new();
        for event in &heard {
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
            told.extend(happened::told(event, &about));
        }
        let is_news = !told.is_empty();
        self.control.happened(told);
        if is_news && !self.control.is_stopped() {
            hub.changed(self.place, Sight::Events);
        }
    }

    /// Sends a last notification to all subscribers and ends the subscriptions of the app.
    fn quit(&self, hub: &Hub) {
        for sight in self.control.wanted() {
            hub.changed(self.place, sight);
        }
        hub.quit(self.place, &self.control);
        self.control.stop();
    }

    fn call(&self, tool: &str, arguments: Value) -> Result<Value, Failure> {
        let call = Call {
            tool: tool.to_owned(),
            arguments,
            form: Form::Data,
            door: Door::Own,
            session: SessionKey::Common,
            principal: None,
            ceiling: Mode::Normal,
        };
        match self.engine.call(call, &Surroundings::alone(&|_| true)) {
            Ok(answer) => Ok(answer.data),
            Err(Stopped::Failure(failure)) => Err(failure),
            // Internal calls never ask the user.
            Err(Stopped::Pause(_)) => Ok(Value::Null),
        }
    }
}

/// Collects the events of a time span, and those that follow immediately. Returns `None` if the
/// connection is lost.
fn gather(events: &mut dyn Events, wait: Duration) -> Option<Vec<Event>> {
    let mut all = Vec::new();
    let mut wait = wait;
    while all.len() < AT_ONCE {
        match events.next(wait) {
            Ok(Some(event)) => all.push(event),
            Ok(None) => break,
            Err(_) => return None,
        }
        wait = Duration::from_millis(1);
    }
    Some(all)
}

fn marked(text: &str) -> u64 {
    let mut hasher = DefaultHasher::new();
    text.hash(&mut hasher);
    hasher.finish()
}
