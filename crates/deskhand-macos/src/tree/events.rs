//! What apps report while they run: the notifications of the system and our kinds of events.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::{Duration, Instant},
};

use deskhand_model::{AppId, Event, EventKind, State};
use deskhand_platform::{Deadline, Error, Events, Result};

use super::{
    Fault, Value,
    facts::is_toggle,
    identity::Host,
    room::{MESSAGE, Room},
    system::{Ax, Ear, Heard, Presence},
};

/// How often it is looked which apps run.
const ROUND: Duration = Duration::from_millis(500);
/// How long an app may take to tell more about what it reported.
const DETAIL: Duration = Duration::from_millis(200);
const DESTROYED: &str = "AXUIElementDestroyed";

/// Every notification that is listened to, with what it means.
const TABLE: &[(&str, EventKind)] = &[
    ("AXValueChanged", EventKind::ValueChanged),
    ("AXFocusedUIElementChanged", EventKind::FocusChanged),
    ("AXWindowCreated", EventKind::WindowCreated),
    ("AXSheetCreated", EventKind::WindowCreated),
    ("AXFocusedWindowChanged", EventKind::WindowActivated),
    ("AXApplicationActivated", EventKind::WindowActivated),
    ("AXTitleChanged", EventKind::TitleChanged),
    ("AXRowExpanded", EventKind::StateChanged),
    ("AXRowCollapsed", EventKind::StateChanged),
    ("AXExpandedChanged", EventKind::StateChanged),
    ("AXWindowMiniaturized", EventKind::StateChanged),
    ("AXWindowDeminiaturized", EventKind::StateChanged),
    ("AXApplicationHidden", EventKind::StateChanged),
    ("AXApplicationShown", EventKind::StateChanged),
    ("AXElementBusyChanged", EventKind::StateChanged),
    ("AXCreated", EventKind::ChildrenChanged),
    (DESTROYED, EventKind::ChildrenChanged),
    ("AXRowCountChanged", EventKind::ChildrenChanged),
    ("AXLayoutChanged", EventKind::ChildrenChanged),
    ("AXMenuOpened", EventKind::ChildrenChanged),
    ("AXMenuClosed", EventKind::ChildrenChanged),
    ("AXSelectedChildrenChanged", EventKind::SelectionChanged),
    ("AXSelectedRowsChanged", EventKind::SelectionChanged),
    ("AXSelectedColumnsChanged", EventKind::SelectionChanged),
    ("AXSelectedCellsChanged", EventKind::SelectionChanged),
];

/// The notifications to listen to for some kinds of events.
fn names(kinds: &[EventKind]) -> Vec<&'static str> {
    let wanted = |name: &str, kind: &EventKind| {
        kinds.contains(kind)
            // A checkbox reports another value where others report another state.
            || (name == "AXValueChanged" && kinds.contains(&EventKind::StateChanged))
            // A window that closes is known by having opened.
            || (name == "AXWindowCreated" && kinds.contains(&EventKind::WindowDestroyed))
            || (name == DESTROYED && kinds.contains(&EventKind::WindowDestroyed))
    };
    TABLE.iter().filter(|(name, kind)| wanted(name, kind)).map(|(name, _)| *name).collect()
}

/// The kind a notification means.
fn kind(name: &str) -> Option<EventKind> {
    TABLE.iter().find(|(one, _)| *one == name).map(|(_, kind)| *kind)
}

/// The state a notification tells and whether it came.
fn state(name: &str) -> Option<(State, bool)> {
    match name {
        "AXRowExpanded" => Some((State::Expanded, true)),
        "AXRowCollapsed" => Some((State::Expanded, false)),
        "AXWindowMiniaturized" => Some((State::Minimized, true)),
        "AXWindowDeminiaturized" => Some((State::Minimized, false)),
        "AXApplicationHidden" => Some((State::Showing, false)),
        "AXApplicationShown" => Some((State::Showing, true)),
        _told_by_the_element => None,
    }
}

/// A running subscription.
pub(crate) struct Watch<G: Ax> {
    room: Arc<Room<G>>,
    ear: Option<G::Ear>,
    only: Option<Host>,
    kinds: Vec<EventKind>,
    running: HashMap<u32, u64>,
    windows: HashSet<G::Element>,
    waiting: Vec<Event>,
    looked: Instant,
}

impl<G: Ax + 'static> Watch<G> {
    /// Starts to listen to one app or to all.
    pub(crate) fn open(
        room: &Arc<Room<G>>,
        app: Option<&AppId>,
        kinds: &[EventKind],
        by: Deadline,
    ) -> Result<Self> {
        room.admitted()?;
        let only = match app {
            Some(app) => {
                let pid = room.process_of(app)?;
                Some(Host { pid, started: room.ax.started(pid) })
            }
            None => None,
        };
        let names = names(kinds);
        let ear = if names.is_empty() {
            None
        } else {
            Some(room.ax.listen(&names).map_err(|fault| fault.error("the system"))?)
        };
        let mut watch = Self {
            room: Arc::clone(room),
            ear,
            only,
            kinds: kinds.to_vec(),
            running: HashMap::new(),
            windows: HashSet::new(),
            waiting: Vec::new(),
            looked: Instant::now(),
        };
        for host in watch.hosts() {
            let heard = watch.add(host, by);
            match heard {
                Err(fault) if only.is_some() => return Err(fault.error("the app")),
                // Of many apps, one that cannot be listened to leaves the others.
                Ok(()) | Err(_) => {}
            }
            watch.running.insert(host.pid, host.started);
        }
        Ok(watch)
    }

    /// The apps to listen to. Agents without a place in the Dock are many and some never answer; they
    /// are listened to when they are asked for by name.
    fn hosts(&self) -> Vec<Host> {
        if let Some(host) = self.only {
            return vec![host];
        }
        let programs = self.room.programs(&self.room.ax.pids());
        let regular = programs.into_iter().filter(|(_, one)| one.presence == Presence::Regular);
        regular.map(|(host, _)| host).collect()
    }

    fn add(&mut self, host: Host, by: Deadline) -> super::system::Answer<()> {
        let Some(ear) = &mut self.ear else { return Ok(()) };
        ear.add(host.pid, by.or_after(MESSAGE))?;
        if !self.kinds.contains(&EventKind::WindowDestroyed) {
            return Ok(());
        }
        let root = self.room.ax.application(host.pid);
        let windows = root.map(|root| self.room.ax.get(&root, "AXWindows", by.or_after(MESSAGE)));
        let windows = windows.and_then(std::result::Result::ok).map(|all| all.elements());
        for window in windows.unwrap_or_default() {
            self.follow(window, by);
        }
        Ok(())
    }

    /// Listens for the end of a window.
    fn follow(&mut self, window: G::Element, by: Deadline) {
        if let Some(ear) = &mut self.ear {
            // A window that closed meanwhile cannot be followed and need not be.
            let _closed = ear.follow(&window, DESTROYED, by.or_after(MESSAGE));
        }
        self.windows.insert(window);
    }

    /// Notes which apps came and went.
    fn look_around(&mut self) {
        self.looked = Instant::now();
        let now: HashMap<u32, u64> = match self.only {
            Some(host) => {
                let same = self.room.ax.started(host.pid) == host.started;
                same.then_some((host.pid, host.started)).into_iter().collect()
            }
            None => self.hosts().into_iter().map(|host| (host.pid, host.started)).collect(),
        };
        let gone = self.running.iter().filter(|(pid, started)| now.get(*pid) != Some(*started));
        let gone: Vec<Host> = gone.map(|(pid, at)| Host { pid: *pid, started: *at }).collect();
        let new = now.iter().filter(|(pid, started)| self.running.get(*pid) != Some(*started));
        let new: Vec<Host> = new.map(|(pid, at)| Host { pid: *pid, started: *at }).collect();
        for host in &gone {
            self.waiting.push(plain(EventKind::AppQuit, host.app(), false));
        }
        for host in new {
            // It is told of all the same that it started.
            let _cannot_be_heard = self.add(host, Deadline::after(MESSAGE));
            self.waiting.push(plain(EventKind::AppStarted, host.app(), true));
        }
        self.running = now;
    }

    /// What a notification means to us; `None` for those that mean nothing.
    fn understood(&mut self, heard: Heard<G::Element>) -> Option<Event> {
        let Heard { pid, element, name } = heard;
        let by = Deadline::after(DETAIL);
        let app = Host { pid, started: self.room.ax.started(pid) }.app();
        let node = Some(self.room.name(&element));
        let mut kind = kind(&name)?;
        let (mut detail, mut on) = (String::new(), true);
        if name == DESTROYED {
            on = false;
            if self.windows.remove(&element) {
                kind = EventKind::WindowDestroyed;
            }
        } else if name == "AXWindowCreated" && self.kinds.contains(&EventKind::WindowDestroyed) {
            self.follow(element.clone(), by);
        }
        if let Some((state, came)) = state(&name) {
            (detail, on) = (state.word().to_owned(), came);
        } else if kind == EventKind::StateChanged {
            let (attribute, state) = if name == "AXExpandedChanged" {
                ("AXExpanded", State::Expanded)
            } else {
                ("AXElementBusy", State::Busy)
            };
            let value = self.room.ax.get(&element, attribute, by).ok();
            detail = state.word().to_owned();
            on = value.as_ref().and_then(Value::flag).unwrap_or(false);
        }
        if kind == EventKind::ValueChanged && self.kinds.contains(&EventKind::StateChanged) {
            let facts =
                self.room.facts(&element, &["AXRole", "AXSubrole", "AXIdentifier"], by).ok();
            let role = facts.map(|facts| facts.role(deskhand_model::Role::Unknown));
            if role.is_some_and(is_toggle) {
                kind = EventKind::StateChanged;
                State::Checked.word().clone_into(&mut detail);
                let value = self.room.ax.get(&element, "AXValue", by).ok();
                on = value.as_ref().and_then(Value::flag).unwrap_or(false);
            }
        }
        if matches!(
            kind,
            EventKind::TitleChanged | EventKind::WindowCreated | EventKind::WindowActivated
        ) {
            detail = self.room.string(&element, "AXTitle", by).unwrap_or_default();
        }
        if name == "AXMenuClosed" {
            on = false;
        }
        Some(Event { kind, app, node, detail, on })
    }
}

fn plain(kind: EventKind, app: AppId, on: bool) -> Event {
    Event { kind, app, node: None, detail: String::new(), on }
}

impl<G: Ax + 'static> Events for Watch<G> {
    fn next(&mut self, wait: Duration) -> Result<Option<Event>> {
        let by = Deadline::after(wait);
        loop {
            if self.looked.elapsed() >= ROUND {
                self.look_around();
            }
            if !self.waiting.is_empty() {
                let event = self.waiting.remove(0);
                if self.kinds.contains(&event.kind) {
                    return Ok(Some(event));
                }
                continue;
            }
            let pause = by.left().min(ROUND.saturating_sub(self.looked.elapsed()));
            let heard = match &mut self.ear {
                Some(ear) => ear.next(pause),
                None => {
                    std::thread::sleep(pause);
                    Ok(None)
                }
            };
            match heard {
                Ok(Some(heard)) => {
                    if let Some(event) = self.understood(heard)
                        && self.kinds.contains(&event.kind)
                    {
                        return Ok(Some(event));
                    }
                }
                Ok(None) => {}
                Err(Fault::InvalidObserver) => {
                    let why = "the thread that listens has ended".to_owned();
                    return Err(Error::Broken { what: "the apps".to_owned(), why });
                }
                Err(fault) => return Err(fault.error("the apps")),
            }
            if by.passed() && self.waiting.is_empty() {
                return Ok(None);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const KINDS: [EventKind; 11] = [
        EventKind::ValueChanged,
        EventKind::FocusChanged,
        EventKind::WindowCreated,
        EventKind::WindowDestroyed,
        EventKind::WindowActivated,
        EventKind::TitleChanged,
        EventKind::StateChanged,
        EventKind::ChildrenChanged,
        EventKind::SelectionChanged,
        EventKind::AppStarted,
        EventKind::AppQuit,
    ];

    #[test]
    fn every_kind_but_starts_and_ends_of_apps_has_notifications() {
        for kind in KINDS {
            let polled = matches!(kind, EventKind::AppStarted | EventKind::AppQuit);
            assert_eq!(names(&[kind]).is_empty(), polled, "{kind:?}");
        }
    }

    #[test]
    fn every_notification_means_one_kind() {
        for (name, kind) in TABLE {
            assert_eq!(super::kind(name), Some(*kind));
            assert!(names(&[*kind]).contains(name));
            assert_eq!(TABLE.iter().filter(|(one, _)| one == name).count(), 1, "{name}");
        }
        assert_eq!(super::kind("AXAnnouncementRequested"), None);
    }

    #[test]
    fn a_notification_of_a_state_tells_which() {
        assert_eq!(state("AXRowCollapsed"), Some((State::Expanded, false)));
        assert_eq!(state("AXWindowMiniaturized"), Some((State::Minimized, true)));
        assert_eq!(state("AXElementBusyChanged"), None);
    }
}
