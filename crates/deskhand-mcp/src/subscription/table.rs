//! The table of subscribers, subscriptions and watchers.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    io,
    sync::Arc,
    time::Instant,
};

use deskhand_engine::{AppId, CallerSession, SessionKey};
use tokio_util::sync::CancellationToken;

use super::{
    control::WatchControl,
    event_source::{EventSource, WatchedView},
    notifications::{NotificationQueue, PendingNotification},
};

/// Maximum number of subscriptions per client.
pub(super) const MAX_SUBSCRIPTIONS: usize = 100;

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

/// The lists whose changes a client is notified of.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) struct ListInterest {
    /// The list of resources.
    pub(crate) resources: bool,
    /// The list of prompts.
    pub(crate) prompts: bool,
}

impl ListInterest {
    /// Only the list of resources.
    pub(crate) const RESOURCES: Self = Self { resources: true, prompts: false };
    /// Only the list of prompts.
    pub(crate) const PROMPTS: Self = Self { resources: false, prompts: true };

    fn union(self, other: Self) -> Self {
        Self {
            resources: self.resources || other.resources,
            prompts: self.prompts || other.prompts,
        }
    }
}

/// A client that receives notifications.
#[derive(Debug)]
pub(super) struct Subscriber {
    pub(super) owner: String,
    pub(super) queue: Arc<NotificationQueue>,
    pub(super) key: SessionKey,
    pub(super) session: Arc<CallerSession>,
    pub(super) interest: ListInterest,
    pub(super) connected: Vec<AppId>,
    pub(super) closed: CancellationToken,
}

impl Subscriber {
    /// Adds lists whose changes the client is notified of.
    pub(super) fn add_interest(&mut self, interest: ListInterest) {
        self.interest = self.interest.union(interest);
    }

    /// Notifies the client if its connected apps have changed. Both lists depend on them.
    pub(super) fn update_connections(&mut self) {
        let now = connected(&self.session);
        if self.connected == now {
            return;
        }
        self.connected = now;
        if self.interest.resources {
            self.queue.push(PendingNotification::ResourceListChanged);
        }
        if self.interest.prompts {
            self.queue.push(PendingNotification::PromptListChanged);
        }
    }

    /// Drops the connections to apps that no longer run.
    pub(super) fn retain_running(&self, running: &BTreeSet<u64>) {
        let all = self.session.connections();
        let ended = all.iter().filter(|one| !running.contains(&u64::from(one.pid)));
        let ended: Vec<&AppId> = ended.map(|one| &one.id).collect();
        self.session.retain_connections(|id| !ended.contains(&id));
    }
}

/// Returns the apps that a session is connected to.
pub(super) fn connected(session: &CallerSession) -> Vec<AppId> {
    session.connections().into_iter().map(|one| one.id).collect()
}

/// A subscription to one view.
#[derive(Debug)]
pub(super) struct Subscription {
    pub(super) client: String,
    /// The URI as the client wrote it. Empty for a lease, which only records events.
    pub(super) uri: String,
    /// The app, as the client named it.
    pub(super) app: Option<String>,
    /// The source of its events. `None` while the app is not running.
    pub(super) source: Option<EventSource>,
    pub(super) view: WatchedView,
    pub(super) lease_until: Option<Instant>,
}

/// The table of subscribers, subscriptions and watchers.
#[derive(Debug, Default)]
pub(super) struct SubscriptionTable {
    pub(super) subscribers: HashMap<String, Subscriber>,
    pub(super) subscriptions: Vec<Subscription>,
    pub(super) watchers: BTreeMap<EventSource, Arc<WatchControl>>,
    pub(super) running: Option<BTreeSet<u64>>,
}

impl SubscriptionTable {
    /// Returns the subscriptions to a view with the queues of their clients.
    pub(super) fn subscribers_of(
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
            let subscriber = self.subscribers.get(&subscription.client)?;
            Some((subscription, &*subscriber.queue))
        })
    }

    /// Returns the number of subscriptions of matching clients.
    pub(super) fn count_subscriptions(&self, of: impl Fn(&Subscriber) -> bool) -> usize {
        let counts = |subscription: &&Subscription| {
            subscription.lease_until.is_none()
                && self.subscribers.get(&subscription.client).is_some_and(&of)
        };
        self.subscriptions.iter().filter(counts).count()
    }

    /// Updates the number of subscriptions of a session.
    pub(super) fn update_session_count(&self, session: &Arc<CallerSession>) {
        session.set_subscriptions(
            self.count_subscriptions(|other| Arc::ptr_eq(&other.session, session)),
        );
    }

    /// Returns `true` if a source is watched or can be watched.
    pub(super) fn can_watch(&self, source: EventSource) -> bool {
        let apps: BTreeSet<EventSource> =
            self.subscriptions.iter().filter_map(|subscription| subscription.source).collect();
        let apps = apps.into_iter().filter(|source| matches!(source, EventSource::App(_)));
        self.watchers.contains_key(&source)
            || !matches!(source, EventSource::App(_))
            || apps.count() < MAX_WATCHED_APPS
    }

    /// Adds a subscription and starts its watcher. If a watcher cannot be started, the subscription
    /// is removed again.
    ///
    /// # Errors
    ///
    /// Returns an error if a watcher cannot be started.
    pub(super) fn add(
        &mut self,
        subscription: Subscription,
        start: impl Fn(EventSource, Arc<WatchControl>) -> io::Result<()>,
    ) -> Result<(), SubscribeError> {
        self.subscriptions.push(subscription);
        let started = self.update_watchers(&start);
        if started.is_err() {
            self.subscriptions.pop();
            // The error that is returned is the first one.
            let _ = self.update_watchers(&start);
        }
        started
    }

    /// Starts and stops watchers, so that exactly the sources with subscriptions are watched.
    ///
    /// # Errors
    ///
    /// Returns an error if a watcher cannot be started.
    pub(super) fn update_watchers(
        &mut self,
        start: impl Fn(EventSource, Arc<WatchControl>) -> io::Result<()>,
    ) -> Result<(), SubscribeError> {
        let mut wanted: BTreeMap<EventSource, BTreeSet<WatchedView>> = BTreeMap::new();
        if !self.subscribers.is_empty() {
            wanted.entry(EventSource::Desktop).or_default();
        }
        for subscription in &self.subscriptions {
            if let Some(source) = subscription.source {
                wanted.entry(source).or_default().insert(subscription.view);
            }
        }
        self.watchers.retain(|source, control| {
            let is_wanted = wanted.contains_key(source);
            if !is_wanted {
                control.stop();
            }
            is_wanted
        });
        if !wanted.contains_key(&EventSource::Desktop) {
            self.running = None;
        }
        for (source, views) in wanted {
            if let Some(control) = self.watchers.get(&source) {
                control.set_views(views);
                continue;
            }
            let control = Arc::new(WatchControl::default());
            control.set_views(views);
            start(source, Arc::clone(&control))?;
            self.watchers.insert(source, control);
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use deskhand_model::{App, NodeId, Toolkit};

    use super::*;
    use crate::timing;

    fn subscription(pid: u32, view: WatchedView) -> Subscription {
        let (client, uri) = ("a".to_owned(), format!("{pid}{view:?}"));
        Subscription {
            client,
            uri,
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

    #[tokio::test(start_paused = true)]
    async fn a_connected_app_and_its_end_change_the_lists() {
        let app = |pid: u32| App {
            id: AppId(format!(":{pid}")),
            name: "editor".to_owned(),
            pid,
            started: 1,
            bundle_id: None,
            executable: None,
            toolkit: Toolkit::default(),
            root: NodeId::new("root"),
            windows: 1,
            responding: true,
        };
        let mut subscriber = Subscriber {
            owner: "a".to_owned(),
            queue: Arc::default(),
            key: SessionKey::Shared,
            session: Arc::default(),
            interest: ListInterest::PROMPTS,
            connected: Vec::new(),
            closed: CancellationToken::new(),
        };
        let queue = Arc::clone(&subscriber.queue);
        let next = || tokio::time::timeout(timing::LIST_CHANGE_DELAY * 9, queue.next());
        subscriber.session.connect(&app(1), None);
        subscriber.session.connect(&app(2), None);
        subscriber.update_connections();
        assert_eq!(next().await, Ok(PendingNotification::PromptListChanged));
        subscriber.retain_running(&BTreeSet::from([1, 2, 3]));
        subscriber.update_connections();
        assert!(next().await.is_err(), "nothing has changed");
        subscriber.add_interest(ListInterest::RESOURCES);
        subscriber.retain_running(&BTreeSet::from([2, 3]));
        subscriber.update_connections();
        assert_eq!(next().await, Ok(PendingNotification::ResourceListChanged));
        assert_eq!(next().await, Ok(PendingNotification::PromptListChanged));
        assert_eq!(connected(&subscriber.session), [AppId(":2".to_owned())]);
    }

    #[test]
    fn a_subscription_without_a_watcher_is_removed() {
        let mut table = SubscriptionTable::default();
        table.add(subscription(1, WatchedView::Tree), |_, _| Ok(())).unwrap();
        let refused = table.add(subscription(2, WatchedView::Tree), |_, _| {
            Err(io::Error::from(io::ErrorKind::WouldBlock))
        });
        assert!(matches!(refused, Err(SubscribeError::Start(_))));
        let sources: Vec<_> = table.subscriptions.iter().map(|it| it.source).collect();
        assert_eq!(sources, [Some(EventSource::App(1))]);
        assert_eq!(table.watchers.keys().collect::<Vec<_>>(), [&EventSource::App(1)]);
    }
}
