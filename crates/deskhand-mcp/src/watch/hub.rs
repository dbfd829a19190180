//! The table of subscriptions. A watcher thread runs for each event source that has a subscription.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::{Duration, Instant},
};

use deskhand_engine::{AppId, Call, Door, Engine, Form, Mode, Session, SessionKey, Surroundings};
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    control::Control,
    outbox::{Note, Outbox},
    place::{Place, Sight},
    source::Source,
};

/// Maximum number of subscriptions per client.
const MOST: usize = 100;

/// Maximum number of apps watched at the same time.
const MOST_APPS: usize = 16;

/// An error of a subscription.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refused {
    /// The client has too many subscriptions.
    #[error("a client may have {MOST} subscriptions; unsubscribe from a resource first")]
    TooMany,
    /// Too many apps are watched.
    #[error("at most {MOST_APPS} apps can be watched; unsubscribe from the resources of another app first")]
    TooManyApps,
    /// The watcher thread could not be started.
    #[error("the watcher thread could not be started: {0}; try again later")]
    Start(#[from] std::io::Error),
}

/// A client that receives notifications.
#[derive(Debug)]
struct Listener {
    owner: String,
    outbox: Arc<Outbox>,
    key: SessionKey,
    session: Arc<Session>,
    wants_list: bool,
    connected: Vec<AppId>,
    closed: CancellationToken,
}

/// A subscription to one view.
#[derive(Debug)]
struct Wish {
    client: String,
    /// The URI as the client wrote it. Empty for a lease, which only records events.
    given: String,
    /// The app, as the client named it.
    app: Option<String>,
    /// The source of its events. `None` while the app is not running.
    place: Option<Place>,
    sight: Sight,
    until: Option<Instant>,
}

/// Identifies a client.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    /// The id of the client.
    pub(crate) id: String,
    /// The owner whose subscriptions are counted together.
    pub(crate) owner: String,
    /// The engine session.
    pub(crate) key: SessionKey,
}

/// The resource a client subscribes to.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    /// The URI as the client wrote it.
    pub(crate) given: String,
    /// The watched view.
    pub(crate) sight: Sight,
    /// The app as the client named it, and its pid if it is running.
    pub(crate) app: Option<(String, Option<u32>)>,
}

#[derive(Debug, Default)]
struct Table {
    listeners: HashMap<String, Listener>,
    wishes: Vec<Wish>,
    sources: BTreeMap<Place, Arc<Control>>,
    running: Option<BTreeSet<u64>>,
}

/// All subscriptions of a server.
pub(crate) struct Hub {
    engine: Arc<Engine>,
    me: Weak<Self>,
    table: Mutex<Table>,
}

impl Hub {
    /// Creates an empty table.
    pub(crate) fn new(engine: Arc<Engine>) -> Arc<Self> {
        Arc::new_cyclic(|me| Self { engine, me: me.clone(), table: Mutex::default() })
    }

    /// Registers a client. Returns its notification queue and a token that is cancelled when the client
    /// leaves, or `None` if the client is already registered.
    pub(crate) fn join(
        &self,
        member: &Member,
        wants_list: bool,
    ) -> Result<Option<(Arc<Outbox>, CancellationToken)>, Refused> {
        let mut table = self.table();
        if let Some(listener) = table.listeners.get_mut(&member.id) {
            listener.wants_list |= wants_list;
            return Ok(None);
        }
        let session = self.engine.session(&member.key);
        let listener = Listener {
            owner: member.owner.clone(),
            outbox: Arc::default(),
            key: member.key.clone(),
            connected: connected(&session),
            session,
            wants_list,
            closed: CancellationToken::new(),
        };
        let hold = (Arc::clone(&listener.outbox), listener.closed.clone());
        table.listeners.insert(member.id.clone(), listener);
        self.arrange(&mut table)?;
        Ok(Some(hold))
    }

    /// Removes a client and all its subscriptions.
    pub(crate) fn leave(&self, id: &str) {
        let mut table = self.table();
        let Some(listener) = table.listeners.remove(id) else { return };
        listener.closed.cancel();
        table.wishes.retain(|wish| wish.client != id);
        table.count(&listener.session);
        // Fewer sources need no new thread.
        let _ = self.arrange(&mut table);
    }

    /// Subscribes a client to a view. When this returns, no later change is missed.
    ///
    /// # Errors
    ///
    /// Returns an error if the client or the server has too many subscriptions, or if no watcher thread
    /// can be started.
    pub(crate) fn subscribe(&self, id: &str, wanted: Wanted) -> Result<(), Refused> {
        let sight = wanted.sight;
        let control = {
            let mut table = self.table();
            let Some(listener) = table.listeners.get(id) else { return Ok(()) };
            let (owner, session) = (listener.owner.clone(), Arc::clone(&listener.session));
            let is_known = |wish: &Wish| wish.client == id && wish.given == wanted.given;
            if table.wishes.iter().any(is_known) {
                return Ok(());
            }
            if table.subscriptions(|other| other.owner == owner) >= MOST {
                return Err(Refused::TooMany);
            }
            let place = match (sight, &wanted.app) {
                (Sight::Apps, _) => Some(Place::Desk),
                (Sight::Clipboard, _) => Some(Place::Clipboard),
                (Sight::Tree | Sight::Window(_) | Sight::State | Sight::Events, app) => {
                    app.as_ref().and_then(|(_, pid)| *pid).map(Place::App)
                }
            };
            if place.is_some_and(|place| !table.has_room_for(place)) {
                return Err(Refused::TooManyApps);
            }
            let app = wanted.app.map(|(name, _)| name);
            let (client, given) = (id.to_owned(), wanted.given);
            table.wishes.push(Wish { client, given, app, place, sight, until: None });
            table.count(&session);
            self.arrange(&mut table)?;
            place.and_then(|place| table.sources.get(&place).cloned())
        };
        if let Some(control) = control {
            control.wait_for(sight);
        }
        Ok(())
    }

    /// Ends a subscription of a client.
    pub(crate) fn unsubscribe(&self, id: &str, given: &str) {
        let mut table = self.table();
        table.wishes.retain(|wish| wish.client != id || wish.given != given);
        let Some(listener) = table.listeners.get(id) else { return };
        listener.outbox.forget(given);
        let session = Arc::clone(&listener.session);
        table.count(&session);
        // Fewer sources need no new thread.
        let _ = self.arrange(&mut table);
    }

    /// Returns the latest events of an app. They are recorded from the first call on, until some time
    /// after the last call.
    pub(crate) fn recent(&self, pid: u32) -> Value {
        let (place, sight) = (Place::App(pid), Sight::Events);
        let control = {
            let mut table = self.table();
            let until = Some(Instant::now() + LEASE);
            let is_lease = |wish: &&mut Wish| wish.place == Some(place) && wish.until.is_some();
            if let Some(lease) = table.wishes.iter_mut().find(is_lease) {
                lease.until = until;
            } else if table.has_room_for(place) {
                let (client, given) = (String::new(), String::new());
                let place = Some(place);
                table.wishes.push(Wish { client, given, app: None, place, sight, until });
            }
            // Without a thread no events are recorded, and the result says so.
            let _ = self.arrange(&mut table);
            table.sources.get(&place).cloned()
        };
        let Some(control) = control else { return json!({ "events": [], "listening": false }) };
        control.wait_for(sight);
        json!({ "events": control.recent(), "listening": !control.is_stopped() })
    }

    /// Notifies the subscribers of a view that it has changed.
    pub(super) fn changed(&self, place: Place, sight: Sight) {
        let table = self.table();
        for (wish, outbox) in table.told(place, sight) {
            outbox.put(Note::Updated(wish.given.clone()));
        }
    }

    /// Warns the subscribers of a view that the app sends no events.
    pub(super) fn warn(&self, place: Place, sight: Sight) {
        let table = self.table();
        for (wish, outbox) in table.told(place, sight) {
            outbox.put(Note::Warning(wish.given.clone()));
        }
    }

    /// Detaches the subscriptions of an app that has exited. They resume when it starts again.
    pub(super) fn quit(&self, place: Place, control: &Arc<Control>) {
        let mut table = self.table();
        if !table.sources.get(&place).is_some_and(|known| Arc::ptr_eq(known, control)) {
            return;
        }
        table.sources.remove(&place);
        table.wishes.retain(|wish| wish.place != Some(place) || wish.until.is_none());
        for wish in table.wishes.iter_mut().filter(|wish| wish.place == Some(place)) {
            wish.place = None;
        }
    }

    /// Removes expired leases.
    pub(super) fn tidy(&self, now: Instant) {
        let mut table = self.table();
        let before = table.wishes.len();
        table.wishes.retain(|wish| wish.until.is_none_or(|until| until > now));
        if table.wishes.len() < before {
            // Fewer sources need no new thread.
            let _ = self.arrange(&mut table);
        }
    }

    /// Updates the set of running apps. If it has changed, the list of resources has changed, and
    /// subscriptions of apps that started again resume.
    pub(super) fn census(&self, apps: &Value) {
        let rows = apps["apps"].as_array().into_iter().flatten();
        let running: BTreeSet<u64> = rows.filter_map(|app| app["pid"].as_u64()).collect();
        let waiting: Vec<(SessionKey, String)> = {
            let mut table = self.table();
            let before = table.running.replace(running.clone());
            if before.is_some_and(|before| before != running) {
                for listener in table.listeners.values().filter(|one| one.wants_list) {
                    listener.outbox.put(Note::List);
                }
            }
            let lost = table.wishes.iter().filter(|wish| wish.place.is_none());
            let key = |wish: &Wish| Some(table.listeners.get(&wish.client)?.key.clone());
            lost.filter_map(|wish| Some((key(wish)?, wish.app.clone()?))).collect()
        };
        for (key, name) in waiting {
            if let Some(pid) = self.process(&key, &name) {
                self.found(&name, pid);
            }
        }
    }

    /// Notifies clients of a session whose connected apps have changed: the list of resources has changed.
    pub(crate) fn called(&self, key: &SessionKey) {
        let mut table = self.table();
        if table.listeners.is_empty() {
            return;
        }
        let session = self.engine.session(key);
        let now = connected(&session);
        for listener in table.listeners.values_mut() {
            if Arc::ptr_eq(&listener.session, &session) && listener.connected != now {
                listener.connected.clone_from(&now);
                if listener.wants_list {
                    listener.outbox.put(Note::List);
                }
            }
        }
    }

    /// Resumes the subscriptions of an app that has started.
    fn found(&self, name: &str, pid: u32) {
        let place = Place::App(pid);
        let mut table = self.table();
        if !table.has_room_for(place) {
            return;
        }
        let mut told = Vec::new();
        for wish in &mut table.wishes {
            if wish.place.is_none() && wish.app.as_deref() == Some(name) {
                wish.place = Some(place);
                told.push((wish.client.clone(), wish.given.clone()));
            }
        }
        for (client, given) in told {
            if let Some(listener) = table.listeners.get(&client) {
                listener.outbox.put(Note::Updated(given));
            }
        }
        // On failure it is tried again when the next app starts or exits.
        let _ = self.arrange(&mut table);
    }

    /// Returns the pid of a running app.
    fn process(&self, key: &SessionKey, name: &str) -> Option<u32> {
        let call = Call {
            tool: "view_app".to_owned(),
            arguments: json!({ "app": name }),
            form: Form::Data,
            door: Door::Own,
            session: key.clone(),
            principal: None,
            ceiling: Mode::Normal,
        };
        // An app that is not running is looked for again later.
        let answer = self.engine.call(call, &Surroundings::alone(&|_| true)).ok()?;
        u32::try_from(answer.data["pid"].as_u64()?).ok()
    }

    /// Starts and stops watcher threads, so that exactly the sources with subscriptions are watched.
    fn arrange(&self, table: &mut Table) -> Result<(), Refused> {
        let mut wanted: BTreeMap<Place, BTreeSet<Sight>> = BTreeMap::new();
        if !table.listeners.is_empty() {
            wanted.entry(Place::Desk).or_default();
        }
        for wish in &table.wishes {
            if let Some(place) = wish.place {
                wanted.entry(place).or_default().insert(wish.sight);
            }
        }
        table.sources.retain(|place, control| {
            let stays = wanted.contains_key(place);
            if !stays {
                control.stop();
            }
            stays
        });
        if !wanted.contains_key(&Place::Desk) {
            table.running = None;
        }
        for (place, sights) in wanted {
            if let Some(control) = table.sources.get(&place) {
                control.want(sights);
                continue;
            }
            let control = Arc::new(Control::default());
            control.want(sights);
            let (engine, me) = (Arc::clone(&self.engine), self.me.clone());
            let source = Source::new(place, Arc::clone(&control), engine, me);
            std::thread::Builder::new().name(place.thread()).spawn(move || source.run())?;
            table.sources.insert(place, control);
        }
        Ok(())
    }

    fn table(&self) -> MutexGuard<'_, Table> {
        self.table.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Table {
    fn told(&self, place: Place, sight: Sight) -> impl Iterator<Item = (&Wish, &Outbox)> {
        let fits = move |wish: &&Wish| {
            wish.place == Some(place) && wish.sight == sight && wish.until.is_none()
        };
        self.wishes.iter().filter(fits).filter_map(|wish| {
            let listener = self.listeners.get(&wish.client)?;
            Some((wish, &*listener.outbox))
        })
    }

    /// Returns the number of subscriptions of matching clients.
    fn subscriptions(&self, of: impl Fn(&Listener) -> bool) -> usize {
        let counts = |wish: &&Wish| {
            wish.until.is_none() && self.listeners.get(&wish.client).is_some_and(&of)
        };
        self.wishes.iter().filter(counts).count()
    }

    /// Updates the number of subscriptions of a session.
    fn count(&self, session: &Arc<Session>) {
        session.subscribed(self.subscriptions(|other| Arc::ptr_eq(&other.session, session)));
    }

    fn has_room_for(&self, place: Place) -> bool {
        let apps: BTreeSet<Place> = self.wishes.iter().filter_map(|wish| wish.place).collect();
        let apps = apps.into_iter().filter(|place| matches!(place, Place::App(_)));
        self.sources.contains_key(&place)
            || !matches!(place, Place::App(_))
            || apps.count() < MOST_APPS
    }
}

fn connected(session: &Session) -> Vec<AppId> {
    session.connections().into_iter().map(|one| one.id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn wish(pid: u32, sight: Sight) -> Wish {
        let (client, given) = ("a".to_owned(), format!("{pid}{sight:?}"));
        Wish { client, given, app: None, place: Some(Place::App(pid)), sight, until: None }
    }

    #[test]
    fn the_number_of_watched_apps_is_limited() {
        let mut table = Table::default();
        for pid in 0..15 {
            table.wishes.push(wish(pid, Sight::Tree));
            table.wishes.push(wish(pid, Sight::State));
        }
        assert!(table.has_room_for(Place::App(15)));
        table.wishes.push(wish(15, Sight::Tree));
        assert!(!table.has_room_for(Place::App(16)));
        assert!(table.has_room_for(Place::Clipboard) && table.has_room_for(Place::Desk));
        table.sources.insert(Place::App(3), Arc::default());
        assert!(table.has_room_for(Place::App(3)), "the app is already watched");
        assert!(Refused::TooManyApps.to_string().contains("16 apps"));
        assert!(Refused::TooMany.to_string().contains("100 subscriptions"));
    }
}
