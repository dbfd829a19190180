//! Live events. Listening has a price: every event an app reports costs it a message, and a window
//! can report 10,000 while it opens, so only the kinds asked for are registered.

use std::{collections::HashMap, time::Duration};

use deskhand_model::{AppId, Event, EventKind};
use deskhand_platform::{Deadline, Events, Result};
use zbus::{Message, OwnedVariant, message};

use super::{
    bus::{ask_daemon, trouble},
    pipe::{Peer, Pipe, body, call},
    spi, state,
};

const EVENT_OBJECT: &str = "org.a11y.atspi.Event.Object";
const EVENT_WINDOW: &str = "org.a11y.atspi.Event.Window";

/// A subscription on a bus connection of its own.
pub(crate) struct Watch {
    bus: Pipe,
    app: Option<AppId>,
    kinds: Vec<EventKind>,
}

impl Watch {
    /// Starts to listen.
    pub(crate) fn open(
        address: &str,
        app: Option<&AppId>,
        kinds: &[EventKind],
        by: Deadline,
    ) -> Result<Self> {
        let failed = |silence| trouble("the accessibility registry", silence);
        let mut bus = Pipe::to_bus(address, by).map_err(failed)?;
        let registry = Peer::Named(spi::REGISTRY.to_owned());
        let mut calls = Vec::new();
        for kind in kinds {
            for (interface, member, event) in sources(*kind) {
                let from = match (kind, app) {
                    // The registry lists the apps; the bus knows who left it.
                    (EventKind::AppStarted, _) => {
                        format!(",sender='{}',path='{}'", spi::REGISTRY, spi::ROOT_PATH)
                    }
                    (EventKind::AppQuit, None) | (_, None) => String::new(),
                    (EventKind::AppQuit, Some(app)) => format!(",arg0='{}'", app.0),
                    (_, Some(app)) => format!(",sender='{}'", app.0),
                };
                let rule = format!("type='signal',interface='{interface}',member='{member}'{from}");
                calls.push(ask_daemon("AddMatch", &rule.as_str()).map_err(failed)?);
                if !event.is_empty() {
                    let app = app.map_or("", |app| app.0.as_str());
                    calls.push(
                        call(
                            &registry,
                            "/org/a11y/atspi/registry",
                            spi::REGISTRY,
                            "RegisterEvent",
                            &(*event, Vec::<&str>::new(), app),
                        )
                        .map_err(failed)?,
                    );
                }
            }
        }
        for answer in bus.ask_all(calls, by) {
            answer.map_err(failed)?;
        }
        Ok(Self { bus, app: app.cloned(), kinds: kinds.to_vec() })
    }
}

impl Events for Watch {
    fn next(&mut self, wait: Duration) -> Result<Option<Event>> {
        let by = Deadline::after(wait);
        loop {
            let Some(message) =
                self.bus.listen(by).map_err(|silence| trouble("the accessibility bus", silence))?
            else {
                return Ok(None);
            };
            if let Some(event) = read(&message)
                && self.kinds.contains(&event.kind)
                && self.app.as_ref().is_none_or(|app| *app == event.app)
            {
                return Ok(Some(event));
            }
            if by.passed() {
                return Ok(None);
            }
        }
    }
}

/// Whether apps must be told that somebody listens for this.
pub(crate) fn burdens_apps(kind: EventKind) -> bool {
    sources(kind).iter().any(|(_, _, registered)| !registered.is_empty())
}

/// The signals a kind of event comes as: interface, member, and the name it is registered under.
fn sources(kind: EventKind) -> &'static [(&'static str, &'static str, &'static str)] {
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
        // The registry announces its children, the apps, without being asked to.
        EventKind::AppStarted => &[(EVENT_OBJECT, "ChildrenChanged", "")],
        EventKind::AppQuit => &[("org.freedesktop.DBus", "NameOwnerChanged", "")],
    }
}

/// What a signal means to us; `None` for those that mean nothing.
fn read(message: &Message) -> Option<Event> {
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
    if let Some(app) = announced(message) {
        return Some(Event {
            kind: EventKind::AppStarted,
            app,
            node: None,
            detail: String::new(),
            on: true,
        });
    }
    let app = AppId(header.sender()?.as_str().to_owned());
    let node = Some(spi::node_id(&app.0, header.path()?.as_str()));
    // Every AT-SPI event begins alike; what follows the value differs between toolkits.
    let (detail, first, value) = arguments(message)?;
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
    // Losing the focus is the other half of somebody else's getting it.
    if kind == EventKind::FocusChanged && !on {
        return None;
    }
    let detail = match kind {
        // The text itself is left out: it may have been typed into a password field.
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

/// The app the registry announces: a new child of its root that lives on another bus name.
fn announced(message: &Message) -> Option<AppId> {
    type Added = (String, i32, i32, OwnedVariant, HashMap<String, OwnedVariant>);
    let header = message.header();
    if header.path()?.as_str() != spi::ROOT_PATH || header.member()?.as_str() != "ChildrenChanged" {
        return None;
    }
    let (detail, _, _, child, _): Added = body(message).ok()?;
    let (bus, _) = spi::Reference::try_from(child).ok()?;
    (detail.starts_with("add") && bus != header.sender()?.as_str()).then_some(AppId(bus))
}

fn arguments(message: &Message) -> Option<(String, i32, String)> {
    type Modern = (String, i32, i32, OwnedVariant, HashMap<String, OwnedVariant>);
    type Qt = (String, i32, i32, OwnedVariant, spi::Reference);
    let (detail, first, value) = match body::<Modern>(message) {
        Ok((detail, first, _, value, _)) => (detail, first, value),
        Err(_) => match body::<Qt>(message) {
            Ok((detail, first, _, value, _)) => (detail, first, value),
            // The registry's own announcements carry a reference only.
            Err(_) => return Some(Default::default()),
        },
    };
    Some((detail, first, String::try_from(value).unwrap_or_default()))
}
