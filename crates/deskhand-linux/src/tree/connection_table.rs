//! The open connections to apps, one for each app.

use std::{collections::HashMap, sync::Arc};

use deskhand_model::AppId;
use parking_lot::Mutex;

/// The place of one connection. One caller uses it at a time.
pub(super) type ConnectionSlot<C> = Arc<Mutex<Option<C>>>;

/// The connections to all apps that were read.
pub(super) struct ConnectionTable<C>(Mutex<HashMap<AppId, ConnectionSlot<C>>>);

impl<C> Default for ConnectionTable<C> {
    fn default() -> Self {
        Self(Mutex::default())
    }
}

impl<C> ConnectionTable<C> {
    /// Returns the slot of an app and creates it if necessary.
    pub(super) fn slot(&self, app: &AppId) -> ConnectionSlot<C> {
        Arc::clone(self.0.lock().entry(app.clone()).or_default())
    }

    /// Returns `true` if there is a slot for an app that fails the condition.
    pub(super) fn has_other_than(&self, is_running: impl Fn(&AppId) -> bool) -> bool {
        self.0.lock().keys().any(|app| !is_running(app))
    }

    /// Closes the connections to apps that fail the condition, except those in use.
    pub(super) fn retain(&self, is_running: impl Fn(&AppId) -> bool) {
        let mut all = self.0.lock();
        let is_gone = |(app, slot): (&AppId, &ConnectionSlot<C>)| {
            (!is_running(app) && Arc::strong_count(slot) == 1).then(|| app.clone())
        };
        let gone: Vec<AppId> = all.iter().filter_map(is_gone).collect();
        let closed: Vec<_> = gone.iter().filter_map(|app| all.remove(app)).collect();
        drop(all);
        // Closing a connection takes time, and other callers need the table.
        drop(closed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn app(name: &str) -> AppId {
        AppId(name.to_owned())
    }

    #[test]
    fn connections_to_ended_apps_are_closed_unless_in_use() {
        let table = ConnectionTable::<Arc<()>>::default();
        let (ended, running, used) = (Arc::new(()), Arc::new(()), Arc::new(()));
        *table.slot(&app(":1.1")).lock() = Some(Arc::clone(&ended));
        *table.slot(&app(":1.2")).lock() = Some(Arc::clone(&running));
        let in_use = table.slot(&app(":1.3"));
        *in_use.lock() = Some(Arc::clone(&used));
        let is_running = |one: &AppId| *one == app(":1.2");
        assert!(table.has_other_than(is_running));
        table.retain(is_running);
        let counts = [&ended, &running, &used].map(Arc::strong_count);
        assert_eq!(counts, [1, 2, 2], "only the idle connection to the ended app is closed");
        drop(in_use);
        table.retain(is_running);
        assert_eq!(Arc::strong_count(&used), 1);
        assert!(!table.has_other_than(is_running));
        assert!(table.slot(&app(":1.2")).lock().is_some());
    }
}
