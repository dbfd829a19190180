//! The table of subscriptions. A watcher thread runs for each event source that has a subscription.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    sync::{Arc, Weak},
    time::Instant,
};

use deskhand_engine::{AppId, Call, Door, Engine, Form, Mode, Session, SessionKey, Surroundings};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    control::WatchControl,
    event_source::{EventSource, WatchedView},
    notifications::{NotificationQueue, PendingNotification},
    watcher::ViewWatcher,
};
use crate::timing;

/// Maximum number of subscriptions per client.
const MAX_SUBSCRIPTIONS: usize = 100;

/// Maximum number of apps watched at the same time.
const MAX_WATCHED_APPS: usize = 16;

/// An error of a subscription.
#[derive(Debug, thiserror::Error)]
pub(crate) enum SubscribeError {
    /// The client has too many subscriptions.
    #[error(
        "a client may have {MAX_SUBSCRIPTIONS} subscriptions; unsubscribe from a resource first"
    )]
    TooManySubscriptions,
    /// Too many apps are watched.
    #[error(
        "at most {MAX_WATCHED_APPS} apps can be watched; unsubscribe from the resources of another app first"
    )]
    TooManyApps,
    /// The watcher thread could not be started.
    #[error("the watcher thread could not be started: {0}; try again later")]
    Start(#[from] std::io::Error),
}

/// A client that receives notifications.
#[derive(Debug)]
struct Subscriber {
    owner: String,
    queue: Arc<NotificationQueue>,
    key: SessionKey,
    session: Arc<Session>,
    wants_resource_list: bool,
    connected: Vec<AppId>,
    closed: CancellationToken,
}

/// A subscription to one view.
#[derive(Debug)]
struct Subscription {
    client: String,
    /// The URI as the client wrote it. Empty for a lease, which only records events.
    uri_text: String,
    /// The app, as the client named it.
    app: Option<String>,
    /// The source of its events. `None` while the app is not running.
    source: Option<EventSource>,
    view: WatchedView,
    lease_until: Option<Instant>,
}

/// Identifies a client.
#[derive(Debug, Clone)]
pub(crate) struct SubscriberInfo {
    /// The id of the client.
    pub(crate) id: String,
    /// The owner whose subscriptions are counted together.
    pub(crate) owner: String,
    /// The engine session.
    pub(crate) key: SessionKey,
}

/// The resource a client subscribes to.
#[derive(Debug, Clone)]
pub(crate) struct SubscriptionTarget {
    /// The URI as the client wrote it.
    pub(crate) uri_text: String,
    /// The watched view.
    pub(crate) view: WatchedView,
    /// The app as the client named it, and its pid if it is running.
    pub(crate) app: Option<(String, Option<u32>)>,
}

#[derive(Debug, Default)]
struct SubscriptionTable {
    subscribers: HashMap<String, Subscriber>,
    subscriptions: Vec<Subscription>,
    watchers: BTreeMap<EventSource, Arc<WatchControl>>,
    running: Option<BTreeSet<u64>>,
}

/// All subscriptions of a server.
pub(crate) struct Subscriptions {
    engine: Arc<Engine>,
    weak_self: Weak<Self>,
    table: Mutex<SubscriptionTable>,
}

impl Subscriptions {
    /// Creates an empty table.
    pub(crate) fn new(engine: Arc<Engine>) -> Arc<Self> {
        Arc::new_cyclic(|weak_self| Self {
            engine,
            weak_self: weak_self.clone(),
            table: Mutex::default(),
        })
    }

    /// Registers a client. Returns its notification queue and a token that is cancelled when the client
    /// leaves, or `None` if the client is already registered.
    pub(crate) fn register(
        &self,
        subscriber: &SubscriberInfo,
        wants_resource_list: bool,
    ) -> Result<Option<(Arc<NotificationQueue>, CancellationToken)>, SubscribeError> {
        let mut table = self.table.lock();
        if let Some(subscriber_entry) = table.subscribers.get_mut(&subscriber.id) {
            subscriber_entry.wants_resource_list |= wants_resource_list;
            return Ok(None);
        }
        let session = self.engine.session(&subscriber.key);
        let subscriber_entry = Subscriber {
            owner: subscriber.owner.clone(),
            queue: Arc::default(),
            key: subscriber.key.clone(),
            connected: connected(&session),
            session,
            wants_resource_list,
            closed: CancellationToken::new(),
        };
        let registration = (Arc::clone(&subscriber_entry.queue), subscriber_entry.closed.clone());
        table.subscribers.insert(subscriber.id.clone(), subscriber_entry);
        self.update_watchers(&mut table)?;
        Ok(Some(registration))
    }

    /// Removes a client and all its subscriptions.
    pub(crate) fn remove_client(&self, id: &str) {
        let mut table = self.table.lock();
        let Some(subscriber_entry) = table.subscribers.remove(id) else { return };
        subscriber_entry.closed.cancel();
        table.subscriptions.retain(|subscription| subscription.client != id);
        table.update_session_count(&subscriber_entry.session);
        // Fewer sources need no new thread.
        let _ = self.update_watchers(&mut table);
    }

    /// Subscribes a client to a view. When this returns, no later change is missed.
    ///
    /// # Errors
    ///
    /// Returns an error if the client or the server has too many subscriptions, or if no watcher thread
    /// can be started.
    pub(crate) fn subscribe(
        &self,
        id: &str,
        wanted: SubscriptionTarget,
    ) -> Result<(), SubscribeError> {
        let view = wanted.view;
        let control = {
            let mut table = self.table.lock();
            let Some(subscriber_entry) = table.subscribers.get(id) else { return Ok(()) };
            let (owner, session) =
                (subscriber_entry.owner.clone(), Arc::clone(&subscriber_entry.session));
            let is_known = |subscription: &Subscription| {
                subscription.client == id && subscription.uri_text == wanted.uri_text
            };
            if table.subscriptions.iter().any(is_known) {
                return Ok(());
            }
            if table.count_subscriptions(|other| other.owner == owner) >= MAX_SUBSCRIPTIONS {
                return Err(SubscribeError::TooManySubscriptions);
            }
            let source = match (view, &wanted.app) {
                (WatchedView::Apps, _) => Some(EventSource::Desktop),
                (WatchedView::Clipboard, _) => Some(EventSource::Clipboard),
                (
                    WatchedView::Tree
                    | WatchedView::Window(_)
                    | WatchedView::State
                    | WatchedView::Events,
                    app,
                ) => app.as_ref().and_then(|(_, pid)| *pid).map(EventSource::App),
            };
            if source.is_some_and(|source| !table.can_watch(source)) {
                return Err(SubscribeError::TooManyApps);
            }
            let app = wanted.app.map(|(name, _)| name);
            let (client, uri_text) = (id.to_owned(), wanted.uri_text);
            table.subscriptions.push(Subscription {
                client,
                uri_text,
                app,
                source,
                view,
                lease_until: None,
            });
            table.update_session_count(&session);
            self.update_watchers(&mut table)?;
            source.and_then(|source| table.watchers.get(&source).cloned())
        };
        if let Some(control) = control {
            control.wait_for(view);
        }
        Ok(())
    }

    /// Ends a subscription of a client.
    pub(crate) fn unsubscribe(&self, id: &str, uri_text: &str) {
        let mut table = self.table.lock();
        table
            .subscriptions
            .retain(|subscription| subscription.client != id || subscription.uri_text != uri_text);
        let Some(subscriber_entry) = table.subscribers.get(id) else { return };
        subscriber_entry.queue.remove(uri_text);
        let session = Arc::clone(&subscriber_entry.session);
        table.update_session_count(&session);
        // Fewer sources need no new thread.
        let _ = self.update_watchers(&mut table);
    }

    /// Returns the latest events of an app. They are recorded from the first call on, until some time
    /// after the last call.
    pub(crate) fn recent_events(&self, pid: u32) -> Value {
        let (source, view) = (EventSource::App(pid), WatchedView::Events);
        let control = {
            let mut table = self.table.lock();
            let until = Some(Instant::now() + timing::EVENT_LEASE);
            let is_lease = |subscription: &&mut Subscription| {
                subscription.source == Some(source) && subscription.lease_until.is_some()
            };
            if let Some(lease) = table.subscriptions.iter_mut().find(is_lease) {
                lease.lease_until = until;
            } else if table.can_watch(source) {
                let (client, uri_text) = (String::new(), String::new());
                let source = Some(source);
                table.subscriptions.push(Subscription {
                    client,
                    uri_text,
                    app: None,
                    source,
                    view,
                    lease_until: until,
                });
            }
            // Without a thread no events are recorded, and the result says so.
            let _ = self.update_watchers(&mut table);
            table.watchers.get(&source).cloned()
        };
        let Some(control) = control else { return json!({ "events": [], "listening": false }) };
        control.wait_for(view);
        json!({ "events": control.recent_events(), "listening": !control.is_stopped() })
    }

    /// Notifies the subscribers of a view that it has changed.
    pub(super) fn notify_changed(&self, source: EventSource, view: WatchedView) {
        let table = self.table.lock();
        for (subscription, queue) in table.subscribers_of(source, view) {
            queue.push(PendingNotification::ResourceUpdated(subscription.uri_text.clone()));
        }
    }

    /// Warns the subscribers of a view that the app sends no events.
    pub(super) fn warn_silent(&self, source: EventSource, view: WatchedView) {
        let table = self.table.lock();
        for (subscription, queue) in table.subscribers_of(source, view) {
            queue.push(PendingNotification::SilenceWarning(subscription.uri_text.clone()));
        }
    }

    /// Detaches the subscriptions of an app that has exited. They resume when it starts again.
    pub(super) fn detach(&self, source: EventSource, control: &Arc<WatchControl>) {
        let mut table = self.table.lock();
        if !table.watchers.get(&source).is_some_and(|known| Arc::ptr_eq(known, control)) {
            return;
        }
        table.watchers.remove(&source);
        table.subscriptions.retain(|subscription| {
            subscription.source != Some(source) || subscription.lease_until.is_none()
        });
        for subscription in table
            .subscriptions
            .iter_mut()
            .filter(|subscription| subscription.source == Some(source))
        {
            subscription.source = None;
        }
    }

    /// Removes expired leases.
    pub(super) fn remove_expired_leases(&self, now: Instant) {
        let mut table = self.table.lock();
        let before = table.subscriptions.len();
        table
            .subscriptions
            .retain(|subscription| subscription.lease_until.is_none_or(|until| until > now));
        if table.subscriptions.len() < before {
            // Fewer sources need no new thread.
            let _ = self.update_watchers(&mut table);
        }
    }

    /// Updates the set of running apps. If it has changed, the list of resources has changed, and
    /// subscriptions of apps that started again resume.
    pub(super) fn update_running_apps(&self, apps: &Value) {
        let rows = apps["apps"].as_array().into_iter().flatten();
        let running: BTreeSet<u64> = rows.filter_map(|app| app["pid"].as_u64()).collect();
        let waiting: Vec<(SessionKey, String)> = {
            let mut table = self.table.lock();
            let before = table.running.replace(running.clone());
            if before.is_some_and(|before| before != running) {
                for subscriber_entry in
                    table.subscribers.values().filter(|one| one.wants_resource_list)
                {
                    subscriber_entry.queue.push(PendingNotification::ResourceListChanged);
                }
            }
            let detached =
                table.subscriptions.iter().filter(|subscription| subscription.source.is_none());
            let key = |subscription: &Subscription| {
                Some(table.subscribers.get(&subscription.client)?.key.clone())
            };
            detached
                .filter_map(|subscription| Some((key(subscription)?, subscription.app.clone()?)))
                .collect()
        };
        for (key, name) in waiting {
            if let Some(pid) = self.running_pid(&key, &name) {
                self.resume(&name, pid);
            }
        }
    }

    /// Notifies clients of a session whose connected apps have changed: the list of resources has changed.
    pub(crate) fn connections_changed(&self, key: &SessionKey) {
        let mut table = self.table.lock();
        if table.subscribers.is_empty() {
            return;
        }
        let session = self.engine.session(key);
        let now = connected(&session);
        for subscriber_entry in table.subscribers.values_mut() {
            if Arc::ptr_eq(&subscriber_entry.session, &session) && subscriber_entry.connected != now
            {
                subscriber_entry.connected.clone_from(&now);
                if subscriber_entry.wants_resource_list {
                    subscriber_entry.queue.push(PendingNotification::ResourceListChanged);
                }
            }
        }
    }

    /// Resumes the subscriptions of an app that has started.
    fn resume(&self, name: &str, pid: u32) {
        let source = EventSource::App(pid);
        let mut table = self.table.lock();
        if !table.can_watch(source) {
            return;
        }
        let mut resumed = Vec::new();
        for subscription in &mut table.subscriptions {
            if subscription.source.is_none() && subscription.app.as_deref() == Some(name) {
                subscription.source = Some(source);
                resumed.push((subscription.client.clone(), subscription.uri_text.clone()));
            }
        }
        for (client, uri_text) in resumed {
            if let Some(subscriber_entry) = table.subscribers.get(&client) {
                subscriber_entry.queue.push(PendingNotification::ResourceUpdated(uri_text));
            }
        }
        // On failure it is tried again when the next app starts or exits.
        let _ = self.update_watchers(&mut table);
    }

    /// Returns the pid of a running app.
    fn running_pid(&self, key: &SessionKey, name: &str) -> Option<u32> {
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
    fn update_watchers(&self, table: &mut SubscriptionTable) -> Result<(), SubscribeError> {
        let mut wanted: BTreeMap<EventSource, BTreeSet<WatchedView>> = BTreeMap::new();
        if !table.subscribers.is_empty() {
            wanted.entry(EventSource::Desktop).or_default();
        }
        for subscription in &table.subscriptions {
            if let Some(source) = subscription.source {
                wanted.entry(source).or_default().insert(subscription.view);
            }
        }
        table.watchers.retain(|source, control| {
            let is_wanted = wanted.contains_key(source);
            if !is_wanted {
                control.stop();
            }
            is_wanted
        });
        if !wanted.contains_key(&EventSource::Desktop) {
            table.running = None;
        }
        for (source, views) in wanted {
            if let Some(control) = table.watchers.get(&source) {
                control.set_views(views);
                continue;
            }
            let control = Arc::new(WatchControl::default());
            control.set_views(views);
            let (engine, weak_self) = (Arc::clone(&self.engine), self.weak_self.clone());
            let watcher = ViewWatcher::new(source, Arc::clone(&control), engine, weak_self);
            std::thread::Builder::new().name(source.thread_name()).spawn(move || watcher.run())?;
            table.watchers.insert(source, control);
        }
        Ok(())
    }
}

impl SubscriptionTable {
    fn subscribers_of(
        &self,
        source: EventSource,
        view: WatchedView,
    ) -> impl Iterator<Item = (&Subscription, &NotificationQueue)> {
        let fits = move |subscription: &&Subscription| {
            subscription.source == Some(source)
                && subscription.view == view
                && subscription.lease_until.is_none()
        };
        self.subscriptions.iter().filter(fits).filter_map(|subscription| {
            let subscriber_entry = self.subscribers.get(&subscription.client)?;
            Some((subscription, &*subscriber_entry.queue))
        })
    }

    /// Returns the number of subscriptions of matching clients.
    fn count_subscriptions(&self, of: impl Fn(&Subscriber) -> bool) -> usize {
        let counts = |subscription: &&Subscription| {
            subscription.lease_until.is_none()
                && self.subscribers.get(&subscription.client).is_some_and(&of)
        };
        self.subscriptions.iter().filter(counts).count()
    }

    /// Updates the number of subscriptions of a session.
    fn update_session_count(&self, session: &Arc<Session>) {
        session.subscribed(self.count_subscriptions(|other| Arc::ptr_eq(&other.session, session)));
    }

    fn can_watch(&self, source: EventSource) -> bool {
        let apps: BTreeSet<EventSource> =
            self.subscriptions.iter().filter_map(|subscription| subscription.source).collect();
        let apps = apps.into_iter().filter(|source| matches!(source, EventSource::App(_)));
        self.watchers.contains_key(&source)
            || !matches!(source, EventSource::App(_))
            || apps.count() < MAX_WATCHED_APPS
    }
}

fn connected(session: &Session) -> Vec<AppId> {
    session.connections().into_iter().map(|one| one.id).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn subscription(pid: u32, view: WatchedView) -> Subscription {
        let (client, uri_text) = ("a".to_owned(), format!("{pid}{view:?}"));
        Subscription {
            client,
            uri_text,
            app: None,
            source: Some(EventSource::App(pid)),
            view,
            lease_until: None,
        }
    }

    #[test]
    fn the_number_of_watched_apps_is_limited() {
        let mut table = SubscriptionTable::default();
        for pid in 0..15 {
            table.subscriptions.push(subscription(pid, WatchedView::Tree));
            table.subscriptions.push(subscription(pid, WatchedView::State));
        }
        assert!(table.can_watch(EventSource::App(15)));
        table.subscriptions.push(subscription(15, WatchedView::Tree));
        assert!(!table.can_watch(EventSource::App(16)));
        assert!(table.can_watch(EventSource::Clipboard) && table.can_watch(EventSource::Desktop));
        table.watchers.insert(EventSource::App(3), Arc::default());
        assert!(table.can_watch(EventSource::App(3)), "the app is already watched");
        assert!(SubscribeError::TooManyApps.to_string().contains("16 apps"));
        assert!(SubscribeError::TooManySubscriptions.to_string().contains("100 subscriptions"));
    }
}
