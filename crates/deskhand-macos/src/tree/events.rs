//! Accessibility notifications, translated into events.

use std::{
    collections::{HashMap, HashSet},
    sync::Arc,
    time::{Duration, Instant},
};

use deskhand_model::{AppId, Event, EventKind, State};
use deskhand_platform::{Deadline, Error, EventStream, Result};

use super::{
    AxError, Value,
    attribute_set::is_toggle,
    ax_api::{ActivationPolicy, AxApi, AxResult, Notification, Observer},
    identity::AppProcess,
    session::AxSession,
};
use crate::timing::{APP_POLL_INTERVAL, EVENT_DETAIL_TIMEOUT, MESSAGE_TIMEOUT};

const DESTROYED: &str = "AXUIElementDestroyed";

/// Every notification that is observed, and the kind of event it becomes.
const NOTIFICATIONS: &[(&str, EventKind)] = &[
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

/// The notifications to observe for some kinds of events.
fn notification_names(kinds: &[EventKind]) -> Vec<&'static str> {
    let wanted = |name: &str, kind: &EventKind| {
        kinds.contains(kind)
            // A checkbox posts a value change where other platforms report a state change.
            || (name == "AXValueChanged" && kinds.contains(&EventKind::StateChanged))
            // The end of a window is recognised only if its creation was observed.
            || (name == "AXWindowCreated" && kinds.contains(&EventKind::WindowDestroyed))
            || (name == DESTROYED && kinds.contains(&EventKind::WindowDestroyed))
    };
    NOTIFICATIONS.iter().filter(|(name, kind)| wanted(name, kind)).map(|(name, _)| *name).collect()
}

/// The kind of event that a notification becomes.
fn event_kind(name: &str) -> Option<EventKind> {
    NOTIFICATIONS.iter().find(|(one, _)| *one == name).map(|(_, kind)| *kind)
}

/// The state that a notification reports, and whether it is on.
fn reported_state(name: &str) -> Option<(State, bool)> {
    match name {
        "AXRowExpanded" => Some((State::Expanded, true)),
        "AXRowCollapsed" => Some((State::Expanded, false)),
        "AXWindowMiniaturized" => Some((State::Minimized, true)),
        "AXWindowDeminiaturized" => Some((State::Minimized, false)),
        "AXApplicationHidden" => Some((State::Showing, false)),
        "AXApplicationShown" => Some((State::Showing, true)),
        _other => None,
    }
}

/// A running subscription to the events of one app or of all apps.
pub(crate) struct EventSubscription<A: AxApi> {
    session: Arc<AxSession<A>>,
    /// `None` if only app starts and ends are wanted, which are polled.
    observer: Option<A::Observer>,
    only: Option<AppProcess>,
    kinds: Vec<EventKind>,
    /// Start times of the running apps, by pid.
    running: HashMap<u32, u64>,
    /// Windows whose end becomes an event.
    windows: HashSet<A::Element>,
    pending: Vec<Event>,
    last_app_check: Instant,
}

impl<A: AxApi + 'static> EventSubscription<A> {
    /// Subscribes to one app or to all.
    pub(crate) fn open(
        session: &Arc<AxSession<A>>,
        app: Option<&AppId>,
        kinds: &[EventKind],
        deadline: Deadline,
    ) -> Result<Self> {
        session.check_permission()?;
        let only = match app {
            Some(app) => {
                let pid = session.process_of(app)?;
                Some(AppProcess { pid, started: session.ax.start_time(pid) })
            }
            None => None,
        };
        let names = notification_names(kinds);
        let observer = if names.is_empty() {
            None
        } else {
            Some(
                session
                    .ax
                    .observe(&names)
                    .map_err(|error| error.into_platform_error("the accessibility service"))?,
            )
        };
        let mut subscription = Self {
            session: Arc::clone(session),
            observer,
            only,
            kinds: kinds.to_vec(),
            running: HashMap::new(),
            windows: HashSet::new(),
            pending: Vec::new(),
            last_app_check: Instant::now(),
        };
        for process in subscription.processes() {
            match subscription.add(process, deadline) {
                Err(error) if only.is_some() => return Err(error.into_platform_error("the app")),
                // When all apps are observed, one that fails is left out.
                Ok(()) | Err(_) => {}
            }
            subscription.running.insert(process.pid, process.started);
        }
        Ok(subscription)
    }

    /// The apps to observe. Accessory apps are many and some never answer, so they are observed only on
    /// request.
    fn processes(&self) -> Vec<AppProcess> {
        if let Some(process) = self.only {
            return vec![process];
        }
        let apps = self.session.running_apps(&self.session.ax.list_pids());
        let regular =
            apps.into_iter().filter(|(_, app)| app.activation_policy == ActivationPolicy::Regular);
        regular.map(|(process, _)| process).collect()
    }

    fn add(&mut self, process: AppProcess, deadline: Deadline) -> AxResult<()> {
        let Some(observer) = &mut self.observer else { return Ok(()) };
        observer.add(process.pid, deadline.at_most(MESSAGE_TIMEOUT))?;
        if !self.kinds.contains(&EventKind::WindowDestroyed) {
            return Ok(());
        }
        let root = self.session.ax.app_element(process.pid);
        let windows = root.map(|root| {
            self.session.ax.attribute(&root, "AXWindows", deadline.at_most(MESSAGE_TIMEOUT))
        });
        let windows = windows.and_then(std::result::Result::ok).map(|all| all.elements());
        for window in windows.unwrap_or_default() {
            self.watch_window(window, deadline);
        }
        Ok(())
    }

    /// Subscribes to the end of a window.
    fn watch_window(&mut self, window: A::Element, deadline: Deadline) {
        if let Some(observer) = &mut self.observer {
            // This fails for a window that has just closed, which is fine.
            let _ = observer.add_element(&window, DESTROYED, deadline.at_most(MESSAGE_TIMEOUT));
        }
        self.windows.insert(window);
    }

    /// Finds apps that started or ended since the last check.
    fn check_apps(&mut self) {
        self.last_app_check = Instant::now();
        let now: HashMap<u32, u64> = match self.only {
            Some(process) => {
                let same = self.session.ax.start_time(process.pid) == process.started;
                same.then_some((process.pid, process.started)).into_iter().collect()
            }
            None => {
                self.processes().into_iter().map(|process| (process.pid, process.started)).collect()
            }
        };
        let gone = self.running.iter().filter(|(pid, started)| now.get(*pid) != Some(*started));
        let gone: Vec<AppProcess> =
            gone.map(|(pid, at)| AppProcess { pid: *pid, started: *at }).collect();
        let new = now.iter().filter(|(pid, started)| self.running.get(*pid) != Some(*started));
        let new: Vec<AppProcess> =
            new.map(|(pid, at)| AppProcess { pid: *pid, started: *at }).collect();
        for process in &gone {
            self.pending.push(app_event(EventKind::AppQuit, process.app_id(), false));
        }
        for process in new {
            // Its start is reported even if it cannot be observed.
            let _ = self.add(process, Deadline::after(MESSAGE_TIMEOUT));
            self.pending.push(app_event(EventKind::AppStarted, process.app_id(), true));
        }
        self.running = now;
    }

    /// Translates a notification, or returns `None` if no event corresponds to it.
    fn translate(&mut self, notification: Notification<A::Element>) -> Option<Event> {
        let Notification { pid, element, name } = notification;
        let deadline = Deadline::after(EVENT_DETAIL_TIMEOUT);
        let app = AppProcess { pid, started: self.session.ax.start_time(pid) }.app_id();
        let node = Some(self.session.node_id(&element));
        let mut kind = event_kind(&name)?;
        let (mut detail, mut on) = (String::new(), true);
        if name == DESTROYED {
            on = false;
            if self.windows.remove(&element) {
                kind = EventKind::WindowDestroyed;
            }
        } else if name == "AXWindowCreated" && self.kinds.contains(&EventKind::WindowDestroyed) {
            self.watch_window(element.clone(), deadline);
        }
        if let Some((state, is_on)) = reported_state(&name) {
            (detail, on) = (state.word().to_owned(), is_on);
        } else if kind == EventKind::StateChanged {
            let (attribute, state) = if name == "AXExpandedChanged" {
                ("AXExpanded", State::Expanded)
            } else {
                ("AXElementBusy", State::Busy)
            };
            let value = self.session.ax.attribute(&element, attribute, deadline).ok();
            detail = state.word().to_owned();
            on = value.as_ref().and_then(Value::flag).unwrap_or(false);
        }
        if kind == EventKind::ValueChanged && self.kinds.contains(&EventKind::StateChanged) {
            let attributes = self
                .session
                .read_attributes(&element, &["AXRole", "AXSubrole", "AXIdentifier"], deadline)
                .ok();
            let role = attributes.map(|attributes| attributes.role(deskhand_model::Role::Unknown));
            if role.is_some_and(is_toggle) {
                kind = EventKind::StateChanged;
                State::Checked.word().clone_into(&mut detail);
                let value = self.session.ax.attribute(&element, "AXValue", deadline).ok();
                on = value.as_ref().and_then(Value::flag).unwrap_or(false);
            }
        }
        if matches!(
            kind,
            EventKind::TitleChanged | EventKind::WindowCreated | EventKind::WindowActivated
        ) {
            detail = self.session.string(&element, "AXTitle", deadline).unwrap_or_default();
        }
        if name == "AXMenuClosed" {
            on = false;
        }
        Some(Event { kind, app, node, detail, on })
    }
}

fn app_event(kind: EventKind, app: AppId, on: bool) -> Event {
    Event { kind, app, node: None, detail: String::new(), on }
}

impl<A: AxApi + 'static> EventStream for EventSubscription<A> {
    fn next(&mut self, wait: Duration) -> Result<Option<Event>> {
        let deadline = Deadline::after(wait);
        loop {
            if self.last_app_check.elapsed() >= APP_POLL_INTERVAL {
                self.check_apps();
            }
            if !self.pending.is_empty() {
                let event = self.pending.remove(0);
                if self.kinds.contains(&event.kind) {
                    return Ok(Some(event));
                }
                continue;
            }
            let pause = deadline
                .remaining()
                .min(APP_POLL_INTERVAL.saturating_sub(self.last_app_check.elapsed()));
            let notification = match &mut self.observer {
                Some(observer) => observer.next(pause),
                None => {
                    std::thread::sleep(pause);
                    Ok(None)
                }
            };
            match notification {
                Ok(Some(notification)) => {
                    if let Some(event) = self.translate(notification)
                        && self.kinds.contains(&event.kind)
                    {
                        return Ok(Some(event));
                    }
                }
                Ok(None) => {}
                Err(AxError::InvalidObserver) => {
                    let why = "the thread that receives notifications has ended".to_owned();
                    return Err(Error::Disconnected { what: "the apps".to_owned(), why });
                }
                Err(error) => return Err(error.into_platform_error("the apps")),
            }
            if deadline.has_passed() && self.pending.is_empty() {
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
    fn every_kind_but_app_starts_and_ends_has_notifications() {
        for kind in KINDS {
            let polled = matches!(kind, EventKind::AppStarted | EventKind::AppQuit);
            assert_eq!(notification_names(&[kind]).is_empty(), polled, "{kind:?}");
        }
    }

    #[test]
    fn every_notification_becomes_one_kind() {
        for (name, kind) in NOTIFICATIONS {
            assert_eq!(event_kind(name), Some(*kind));
            assert!(notification_names(&[*kind]).contains(name));
            assert_eq!(NOTIFICATIONS.iter().filter(|(one, _)| one == name).count(), 1, "{name}");
        }
        assert_eq!(event_kind("AXAnnouncementRequested"), None);
    }

    #[test]
    fn a_state_notification_names_its_state() {
        assert_eq!(reported_state("AXRowCollapsed"), Some((State::Expanded, false)));
        assert_eq!(reported_state("AXWindowMiniaturized"), Some((State::Minimized, true)));
        assert_eq!(reported_state("AXElementBusyChanged"), None);
    }
}
