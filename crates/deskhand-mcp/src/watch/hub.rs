//! Who wants to know of what. Places are listened at only while somebody does.

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

/// How many things one client may want to know of.
const MOST: usize = 100;

/// How many apps are listened to at once.
const MOST_APPS: usize = 16;

/// How long what happens in an app is noted after somebody has asked what did.
const LEASE: Duration = Duration::from_secs(60);

/// Why a client cannot be told of something.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Refused {
    /// It is told of enough already.
    #[error("a client may have {MOST} subscriptions at once; unsubscribe from some first")]
    TooMany,
    /// Enough apps are listened to already.
    #[error("{MOST_APPS} apps can be watched at once; unsubscribe from those of another app first")]
    TooManyApps,
    /// There is no thread to listen.
    #[error("no thread could be started to listen: {0}")]
    Start(#[from] std::io::Error),
}

/// One client that is told of something.
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

/// One thing somebody wants to know of.
#[derive(Debug)]
struct Wish {
    client: String,
    /// The address as the client wrote it; empty when it only wants things noted.
    given: String,
    /// The app, by the client's name for it.
    app: Option<String>,
    /// Where it is heard of; nowhere while its app does not run.
    place: Option<Place>,
    sight: Sight,
    until: Option<Instant>,
}

/// Who a client is, to the hub.
#[derive(Debug, Clone)]
pub(crate) struct Member {
    /// Its name here.
    pub(crate) id: String,
    /// Whose subscriptions are counted together with its own.
    pub(crate) owner: String,
    /// Its session.
    pub(crate) key: SessionKey,
}

/// What a client wants to know of.
#[derive(Debug, Clone)]
pub(crate) struct Wanted {
    /// The address as it wrote it.
    pub(crate) given: String,
    /// What is looked at.
    pub(crate) sight: Sight,
    /// Its name for the app, and the app's process while it runs.
    pub(crate) app: Option<(String, Option<u32>)>,
}

#[derive(Debug, Default)]
struct Table {
    listeners: HashMap<String, Listener>,
    wishes: Vec<Wish>,
    sources: BTreeMap<Place, Arc<Control>>,
    running: Option<BTreeSet<u64>>,
}

/// All who want to know of something.
pub(crate) struct Hub {
    engine: Arc<Engine>,
    me: Weak<Self>,
    table: Mutex<Table>,
}

impl Hub {
    /// One in which nobody wants to know of anything.
    pub(crate) fn new(engine: Arc<Engine>) -> Arc<Self> {
        Arc::new_cyclic(|me| Self { engine, me: me.clone(), table: Mutex::default() })
    }

    /// Notes a client; what it is to be told, and what is cancelled when it leaves, if it is new.
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

    /// Forgets a client and all it wanted.
    pub(crate) fn leave(&self, id: &str) {
        let mut table = self.table();
        let Some(listener) = table.listeners.remove(id) else { return };
        listener.closed.cancel();
        table.wishes.retain(|wish| wish.client != id);
        table.count(&listener.session);
        // Fewer places need no new thread.
        let _ = self.arrange(&mut table);
    }

    /// Begins to tell a client of changes; when this returns, none is missed.
    ///
    /// # Errors
    ///
    /// When it, or all together, want to know of too much.
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

    /// Ends to tell a client of changes of something.
    pub(crate) fn unsubscribe(&self, id: &str, given: &str) {
        let mut table = self.table();
        table.wishes.retain(|wish| wish.client != id || wish.given != given);
        let Some(listener) = table.listeners.get(id) else { return };
        listener.outbox.forget(given);
        let session = Arc::clone(&listener.session);
        table.count(&session);
        // Fewer places need no new thread.
        let _ = self.arrange(&mut table);
    }

    /// What happened in an app lately. It is noted from the first question on, and for a while after
    /// the last.
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
            // Without a thread nothing is noted, and the answer says so.
            let _ = self.arrange(&mut table);
            table.sources.get(&place).cloned()
        };
        let Some(control) = control else { return json!({ "events": [], "listening": false }) };
        control.wait_for(sight);
        json!({ "events": control.recent(), "listening": !control.is_stopped() })
    }

    /// Tells all who want to know that something has changed.
    pub(super) fn changed(&self, place: Place, sight: Sight) {
        let table = self.table();
        for (wish, outbox) in table.told(place, sight) {
            outbox.put(Note::Updated(wish.given.clone()));
        }
    }

    /// Tells all who want to know of something that nothing is heard of it.
    pub(super) fn warn(&self, place: Place, sight: Sight) {
        let table = self.table();
        for (wish, outbox) in table.told(place, sight) {
            outbox.put(Note::Warning(wish.given.clone()));
        }
    }

    /// An app is gone: who wants to know of it waits until it comes back.
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

    /// Forgets what nobody asks for any more.
    pub(super) fn tidy(&self, now: Instant) {
        let mut table = self.table();
        let before = table.wishes.len();
        table.wishes.retain(|wish| wish.until.is_none_or(|until| until > now));
        if table.wishes.len() < before {
            // Fewer places need no new thread.
            let _ = self.arrange(&mut table);
        }
    }

    /// Notes which apps run; when they are others than before, the list of resources is another, and
    /// some may have come back.
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

    /// A caller may have connected to an app: then there are other resources than before.
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

    /// An app has come back.
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
        // It is tried again when the next app comes or goes.
        let _ = self.arrange(&mut table);
    }

    /// The process of an app that runs.
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
        // Whoever does not run yet is looked for again later.
        let answer = self.engine.call(call, &Surroundings::alone(&|_| true)).ok()?;
        u32::try_from(answer.data["pid"].as_u64()?).ok()
    }

    /// Listens where somebody wants to know, and nowhere else.
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

    /// How many subscriptions some clients have.
    fn subscriptions(&self, of: impl Fn(&Listener) -> bool) -> usize {
        let counts = |wish: &&Wish| {
            wish.until.is_none() && self.listeners.get(&wish.client).is_some_and(&of)
        };
        self.wishes.iter().filter(counts).count()
    }

    /// Tells a session how many it has.
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
    fn no_more_apps_are_watched_than_agreed_and_each_counts_once() {
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
        assert!(table.has_room_for(Place::App(3)), "it is watched already");
        assert!(Refused::TooManyApps.to_string().contains("16 apps"));
        assert!(Refused::TooMany.to_string().contains("100 subscriptions"));
    }
}
