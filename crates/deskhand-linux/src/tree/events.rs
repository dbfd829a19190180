//! Live events. Every event that an app reports costs it a message, and a window can report 10,000
//! events while it opens, so only the requested kinds are registered.

use std::{collections::HashMap, time::Duration};

use deskhand_model::{AppId, Event, EventKind};
use deskhand_platform::{Deadline, EventStream, Result};
use zbus::{Message, OwnedVariant, message};

use super::{
    atspi,
    bus::{daemon_call, platform_error},
    dbus::{DbusClient, Peer, body, method_call},
    state,
};

const EVENT_OBJECT: &str = "org.a11y.atspi.Event.Object";
const EVENT_WINDOW: &str = "org.a11y.atspi.Event.Window";

/// A subscription to events, with a separate bus connection.
pub(crate) struct EventSubscription {
    client: DbusClient,
    app: Option<AppId>,
    kinds: Vec<EventKind>,
}

impl EventSubscription {
    /// Subscribes to kinds of events, of one app or of all apps.
    pub(crate) fn open(
        address: &str,
        app: Option<&AppId>,
        kinds: &[EventKind],
        deadline: Deadline,
    ) -> Result<Self> {
        let failed = |error| platform_error("the accessibility registry", error);
        let mut client = DbusClient::connect_to_bus(address, deadline).map_err(failed)?;
        let registry = Peer::Named(atspi::REGISTRY.to_owned());
        let mut calls = Vec::new();
        for kind in kinds {
            for (interface, member, event) in signals_of(*kind) {
                let filter = match (kind, app) {
                    // The registry announces new apps; the bus announces names that leave it.
                    (EventKind::AppStarted, _) => {
                        format!(",sender='{}',path='{}'", atspi::REGISTRY, atspi::ROOT_PATH)
                    }
                    (EventKind::AppQuit, None) | (_, None) => String::new(),
                    (EventKind::AppQuit, Some(app)) => format!(",arg0='{}'", app.0),
                    (_, Some(app)) => format!(",sender='{}'", app.0),
                };
                let rule =
                    format!("type='signal',interface='{interface}',member='{member}'{filter}");
                calls.push(daemon_call("AddMatch", &rule.as_str()).map_err(failed)?);
                if !event.is_empty() {
                    let app = app.map_or("", |app| app.0.as_str());
                    calls.push(
                        method_call(
                            &registry,
                            "/org/a11y/atspi/registry",
                            atspi::REGISTRY,
                            "RegisterEvent",
                            &(*event, Vec::<&str>::new(), app),
                        )
                        .map_err(failed)?,
                    );
                }
            }
        }
        for reply in client.call_all(calls, deadline) {
            reply.map_err(failed)?;
        }
        Ok(Self { client, app: app.cloned(), kinds: kinds.to_vec() })
    }
}

impl EventStream for EventSubscription {
    fn next(&mut self, wait: Duration) -> Result<Option<Event>> {
        let deadline = Deadline::after(wait);
        loop {
            let Some(message) = self
                .client
                .next_signal(deadline)
                .map_err(|error| platform_error("the accessibility bus", error))?
            else {
                return Ok(None);
            };
            if let Some(event) = parse_event(&message)
                && self.kinds.contains(&event.kind)
                && self.app.as_ref().is_none_or(|app| *app == event.app)
            {
                return Ok(Some(event));
            }
            if deadline.has_passed() {
                return Ok(None);
            }
        }
    }
}

/// Returns `true` if apps send this kind of event only to registered listeners.
pub(crate) fn requires_registration(kind: EventKind) -> bool {
    signals_of(kind).iter().any(|(_, _, registered)| !registered.is_empty())
}

/// Returns the signals of a kind of event: interface, member, and the name to register.
fn signals_of(kind: EventKind) -> &'static [(&'static str, &'static str, &'static str)] {
    match kind {
        EventKind::ValueChanged => &[
            (EVENT_OBJECT, "TextChanged", "object:text-changed"),
            (EVENT_OBJECT, "PropertyChange", "object:property-change:accessible-value"),
        ],
        EventKind::FocusChanged => {
            &[(EVENT_OBJECT, "StateChanged", "object:state-changed:focused")]
        }
        EventKind::WindowCreated => &[(EVENT_WINDOW, "Create", "window:create")],
        EventKind::WindowDestroyed => &[(EVENT_WINDOW, "Destroy", "window:destroy")],
        EventKind::WindowActivated => &[(EVENT_WINDOW, "Activate", "window:activate")],
        EventKind::TitleChanged => {
            &[(EVENT_OBJECT, "PropertyChange", "object:property-change:accessible-name")]
        }
        EventKind::StateChanged => &[(EVENT_OBJECT, "StateChanged", "object:state-changed")],
        EventKind::ChildrenChanged => {
            &[(EVENT_OBJECT, "ChildrenChanged", "object:children-changed")]
        }
        EventKind::SelectionChanged => {
            &[(EVENT_OBJECT, "SelectionChanged", "object:selection-changed")]
        }
        // The registry announces its children, the apps, without registration.
        EventKind::AppStarted => &[(EVENT_OBJECT, "ChildrenChanged", "")],
        EventKind::AppQuit => &[("org.freedesktop.DBus", "NameOwnerChanged", "")],
    }
}

/// Converts a signal into an event, or returns `None` for signals that are not used.
fn parse_event(message: &Message) -> Option<Event> {
    if message.message_type() != message::Type::Signal {
        return None;
    }
    let header = message.header();
    let interface = header.interface()?.as_str();
    let member = header.member()?.as_str();
    if interface == "org.freedesktop.DBus" {
        let (name, _, now): (String, String, String) = body(message).ok()?;
        return (now.is_empty() && name.starts_with(':')).then(|| Event {
            kind: EventKind::AppQuit,
            app: AppId(name),
            node: None,
            detail: String::new(),
            on: false,
        });
    }
    if let Some(app) = announced_app(message) {
        return Some(Event {
            kind: EventKind::AppStarted,
            app,
            node: None,
            detail: String::new(),
            on: true,
        });
    }
    let app = AppId(header.sender()?.as_str().to_owned());
    let node = Some(atspi::node_id(&app.0, header.path()?.as_str()));
    // All AT-SPI events start with the same arguments; those after the value differ between
    // toolkits.
    let (detail, first, value) = parse_arguments(message)?;
    let kind = match (interface, member) {
        (EVENT_OBJECT, "TextChanged") => EventKind::ValueChanged,
        (EVENT_OBJECT, "PropertyChange") if detail == "accessible-value" => EventKind::ValueChanged,
        (EVENT_OBJECT, "PropertyChange") if detail == "accessible-name" => EventKind::TitleChanged,
        (EVENT_OBJECT, "StateChanged") if detail == "focused" => EventKind::FocusChanged,
        // Every object of a starting app reports once that it is not defunct.
        (EVENT_OBJECT, "StateChanged") if detail == "defunct" => return None,
        (EVENT_OBJECT, "StateChanged") => EventKind::StateChanged,
        (EVENT_OBJECT, "ChildrenChanged") => EventKind::ChildrenChanged,
        (EVENT_OBJECT, "SelectionChanged") => EventKind::SelectionChanged,
        (EVENT_WINDOW, "Create") => EventKind::WindowCreated,
        (EVENT_WINDOW, "Destroy") => EventKind::WindowDestroyed,
        (EVENT_WINDOW, "Activate") => EventKind::WindowActivated,
        _other => return None,
    };
    let on = match kind {
        EventKind::FocusChanged | EventKind::StateChanged => first == 1,
        EventKind::ChildrenChanged => detail.starts_with("add"),
        EventKind::WindowDestroyed | EventKind::AppQuit => false,
        EventKind::ValueChanged
        | EventKind::WindowCreated
        | EventKind::WindowActivated
        | EventKind::TitleChanged
        | EventKind::SelectionChanged
        | EventKind::AppStarted => true,
    };
    // Each loss of focus is paired with another element's gain, which is the event that counts.
    if kind == EventKind::FocusChanged && !on {
        return None;
    }
    let detail = match kind {
        // The text is omitted: it may have been typed into a password field.
        EventKind::ValueChanged => String::new(),
        EventKind::TitleChanged | EventKind::WindowActivated | EventKind::WindowCreated => value,
        EventKind::StateChanged => {
            state::from_event_name(&detail).map_or(detail, |state| state.word().to_owned())
        }
        EventKind::FocusChanged
        | EventKind::WindowDestroyed
        | EventKind::ChildrenChanged
        | EventKind::SelectionChanged
        | EventKind::AppStarted
        | EventKind::AppQuit => String::new(),
    };
    Some(Event { kind, app, node, detail, on })
}

/// Returns the app that a signal of the registry announces: a new child of its root with another
/// bus name.
fn announced_app(message: &Message) -> Option<AppId> {
    type ChildAdded = (String, i32, i32, OwnedVariant, HashMap<String, OwnedVariant>);
    let header = message.header();
    if header.path()?.as_str() != atspi::ROOT_PATH || header.member()?.as_str() != "ChildrenChanged"
    {
        return None;
    }
    let (detail, _, _, child, _): ChildAdded = body(message).ok()?;
    let (bus, _) = atspi::ObjectRef::try_from(child).ok()?;
    (detail.starts_with("add") && bus != header.sender()?.as_str()).then_some(AppId(bus))
}

fn parse_arguments(message: &Message) -> Option<(String, i32, String)> {
    type Modern = (String, i32, i32, OwnedVariant, HashMap<String, OwnedVariant>);
    type Qt = (String, i32, i32, OwnedVariant, atspi::ObjectRef);
    let (detail, first, value) = match body::<Modern>(message) {
        Ok((detail, first, _, value, _)) => (detail, first, value),
        Err(_) => match body::<Qt>(message) {
            Ok((detail, first, _, value, _)) => (detail, first, value),
            // The registry's own signals carry only a reference.
            Err(_) => return Some(Default::default()),
        },
    };
    Some((detail, first, String::try_from(value).unwrap_or_default()))
}
