//! Subscriptions of all clients. A watcher thread runs for each event source that has a
//! subscription.

use std::{
    collections::BTreeSet,
    io,
    sync::{Arc, Weak},
    time::Instant,
};

use deskhand_engine::{Call, CallOptions, Engine, SessionKey, Vocabulary};
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::{
    control::WatchControl,
    event_source::{EventSource, WatchedView},
    notifications::{NotificationQueue, PendingNotification},
    table::{
        MAX_SUBSCRIPTIONS, SubscribeError, Subscriber, Subscription, SubscriptionTable, connected,
    },
    watcher::ViewWatcher,
};
use crate::timing;

pub(crate) use super::table::ListInterest;

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
    pub(crate) uri: String,
    /// The watched view.
    pub(crate) view: WatchedView,
    /// The app as the client named it, and its pid if it is running.
    pub(crate) app: Option<(String, Option<u32>)>,
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

    /// Registers a client. Returns its notification queue and a token that is cancelled when the
    /// client leaves, or `None` if the client is already registered.
    pub(crate) fn register(
        &self,
        info: &SubscriberInfo,
        interest: ListInterest,
    ) -> Result<Option<(Arc<NotificationQueue>, CancellationToken)>, SubscribeError> {
        let mut table = self.table.lock();
        if let Some(subscriber) = table.subscribers.get_mut(&info.id) {
            subscriber.add_interest(interest);
            return Ok(None);
        }
        let session = self.engine.session(&info.key);
        let subscriber = Subscriber {
            owner: info.owner.clone(),
            queue: Arc::default(),
            key: info.key.clone(),
            connected: connected(&session),
            session,
            interest,
            closed: CancellationToken::new(),
        };
        let registration = (Arc::clone(&subscriber.queue), subscriber.closed.clone());
        table.subscribers.insert(info.id.clone(), subscriber);
        if let Err(error) = self.update_watchers(&mut table) {
            table.subscribers.remove(&info.id);
            return Err(error);
        }
        Ok(Some(registration))
    }

    /// Removes a client and all its subscriptions.
    pub(crate) fn remove_client(&self, id: &str) {
        let mut table = self.table.lock();
        let Some(subscriber) = table.subscribers.remove(id) else { return };
        subscriber.closed.cancel();
        table.subscriptions.retain(|subscription| subscription.client != id);
        table.update_session_count(&subscriber.session);
        // Fewer sources need no new thread.
        let _ = self.update_watchers(&mut table);
    }

    /// Subscribes a client to a view. When this returns, no later change is missed.
    ///
    /// # Errors
    ///
    /// Returns an error if the client or the server has too many subscriptions, or if no watcher
    /// thread can be started.
    pub(crate) fn subscribe(
        &self,
        id: &str,
        wanted: SubscriptionTarget,
    ) -> Result<(), SubscribeError> {
        let view = wanted.view;
        let control = {
            let mut table = self.table.lock();
            let Some(subscriber) = table.subscribers.get(id) else { return Ok(()) };
            let (owner, session) = (subscriber.owner.clone(), Arc::clone(&subscriber.session));
            let is_known = |subscription: &Subscription| {
                subscription.client == id && subscription.uri == wanted.uri
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
            let (client, uri) = (id.to_owned(), wanted.uri);
            let subscription = Subscription { client, uri, app, source, view, lease_until: None };
            table.add(subscription, |source, control| self.start_watcher(source, control))?;
            table.update_session_count(&session);
            source.and_then(|source| table.watchers.get(&source).cloned())
        };
        if let Some(control) = control {
            control.wait_for(view);
        }
        Ok(())
    }

    /// Ends a subscription of a client.
    pub(crate) fn unsubscribe(&self, id: &str, uri: &str) {
        let mut table = self.table.lock();
        table
            .subscriptions
            .retain(|subscription| subscription.client != id || subscription.uri != uri);
        let Some(subscriber) = table.subscribers.get(id) else { return };
        subscriber.queue.remove(uri);
        let session = Arc::clone(&subscriber.session);
        table.update_session_count(&session);
        // Fewer sources need no new thread.
        let _ = self.update_watchers(&mut table);
    }

    /// Returns the latest events of an app. They are recorded from the first call on, until some
    /// time after the last call.
    pub(crate) fn recent_events(&self, pid: u32) -> Value {
        let (source, view) = (EventSource::App(pid), WatchedView::Events);
        let control = {
            let mut table = self.table.lock();
            let until = Some(Instant::now() + timing::EVENT_LEASE);
            let is_lease =
                |it: &&mut Subscription| it.source == Some(source) && it.lease_until.is_some();
            if let Some(lease) = table.subscriptions.iter_mut().find(is_lease) {
                lease.lease_until = until;
            } else if table.can_watch(source) {
                let lease = Subscription {
                    client: String::new(),
                    uri: String::new(),
                    app: None,
                    source: Some(source),
                    view,
                    lease_until: until,
                };
                // Without a thread no events are recorded, and the result says so.
                let _ = table.add(lease, |source, control| self.start_watcher(source, control));
            }
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
            queue.push(PendingNotification::ResourceUpdated(subscription.uri.clone()));
        }
    }

    /// Warns the subscribers of a view that the app sends no events.
    pub(super) fn warn_silent(&self, source: EventSource, view: WatchedView) {
        let table = self.table.lock();
        for (subscription, queue) in table.subscribers_of(source, view) {
            queue.push(PendingNotification::SilenceWarning(subscription.uri.clone()));
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
            let has_changed = before.is_some_and(|before| before != running);
            for subscriber in table.subscribers.values_mut() {
                subscriber.retain_running(&running);
                subscriber.update_connections();
                if has_changed && subscriber.interest.resources {
                    subscriber.queue.push(PendingNotification::ResourceListChanged);
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

    /// Notifies clients of a session whose connected apps have changed: the lists of resources and
    /// of prompts have changed.
    pub(crate) fn connections_changed(&self, key: &SessionKey) {
        let mut table = self.table.lock();
        if table.subscribers.is_empty() {
            return;
        }
        let session = self.engine.session(key);
        for subscriber in table.subscribers.values_mut() {
            if Arc::ptr_eq(&subscriber.session, &session) {
                subscriber.update_connections();
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
                resumed.push((subscription.client.clone(), subscription.uri.clone()));
            }
        }
        for (client, uri) in resumed {
            if let Some(subscriber) = table.subscribers.get(&client) {
                subscriber.queue.push(PendingNotification::ResourceUpdated(uri));
            }
        }
        // On failure it is tried again when the next app starts or exits.
        let _ = self.update_watchers(&mut table);
    }

    /// Returns the pid of a running app.
    fn running_pid(&self, key: &SessionKey, name: &str) -> Option<u32> {
        let view = Vocabulary::Resources.tool("view_app");
        let call = Call { session: key.clone(), ..Call::internal(view, json!({ "app": name })) };
        // An app that is not running is looked for again later.
        let answer = self.engine.call(call, &CallOptions::non_interactive(&|_| true)).ok()?;
        u32::try_from(answer.data["pid"].as_u64()?).ok()
    }

    /// Starts and stops watcher threads, so that exactly the sources with subscriptions are
    /// watched.
    fn update_watchers(&self, table: &mut SubscriptionTable) -> Result<(), SubscribeError> {
        table.update_watchers(|source, control| self.start_watcher(source, control))
    }

    /// Starts the watcher thread of an event source.
    fn start_watcher(&self, source: EventSource, control: Arc<WatchControl>) -> io::Result<()> {
        let (engine, weak_self) = (Arc::clone(&self.engine), self.weak_self.clone());
        let watcher = ViewWatcher::new(source, control, engine, weak_self);
        std::thread::Builder::new().name(source.thread_name()).spawn(move || watcher.run())?;
        Ok(())
    }
}
