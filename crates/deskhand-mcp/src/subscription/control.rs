//! State shared between subscribers and a watcher thread.

use std::{
    collections::BTreeSet,
    sync::atomic::{AtomicBool, Ordering},
};

use parking_lot::{Condvar, Mutex};
use serde_json::Value;

use super::{event_source::WatchedView, recent_events::RecentEvents};
use crate::timing;

/// Controls one watcher thread.
#[derive(Debug, Default)]
pub(super) struct WatchControl {
    stop_requested: AtomicBool,
    views: Mutex<WatchedViews>,
    ready: Condvar,
    recent_events: Mutex<RecentEvents>,
}

#[derive(Debug, Default)]
struct WatchedViews {
    wanted: BTreeSet<WatchedView>,
    ready: BTreeSet<WatchedView>,
}

impl WatchControl {
    /// Asks the thread to end.
    pub(super) fn stop(&self) {
        // With the lock held, no waiter is between its check of the flag and its wait.
        let _views = self.views.lock();
        self.stop_requested.store(true, Ordering::Relaxed);
        self.ready.notify_all();
    }

    /// Returns `true` if the thread was asked to end.
    pub(super) fn is_stopped(&self) -> bool {
        self.stop_requested.load(Ordering::Relaxed)
    }

    /// Sets the views to watch.
    pub(super) fn set_views(&self, views: BTreeSet<WatchedView>) {
        let mut all = self.views.lock();
        all.ready.retain(|view| views.contains(view));
        all.wanted = views;
    }

    /// Returns the views to watch.
    pub(super) fn views(&self) -> BTreeSet<WatchedView> {
        self.views.lock().wanted.clone()
    }

    /// Marks that changes of a view are no longer missed.
    pub(super) fn mark_ready(&self, view: WatchedView) {
        if self.views.lock().ready.insert(view) {
            self.ready.notify_all();
        }
    }

    /// Waits until changes of a view are no longer missed, up to a timeout. If an app does not
    /// answer in time, its first successful read counts as a change.
    pub(super) fn wait_for(&self, view: WatchedView) {
        let is_pending = |all: &mut WatchedViews| !all.ready.contains(&view) && !self.is_stopped();
        // A timeout is no error: the subscription is active all the same.
        let _ = self.ready.wait_while_for(
            &mut self.views.lock(),
            is_pending,
            timing::SUBSCRIBE_TIMEOUT,
        );
    }

    /// Adds events.
    pub(super) fn add_events(&self, all: Vec<Value>) {
        let mut recent_events = self.recent_events.lock();
        for one in all {
            recent_events.push(one);
        }
    }

    /// Returns the latest events.
    pub(super) fn recent_events(&self) -> Vec<Value> {
        self.recent_events.lock().all()
    }
}

#[cfg(test)]
mod tests {
    use std::{sync::Arc, time::Duration};

    use super::*;

    #[test]
    fn a_stop_cannot_pass_a_waiter_between_its_check_and_its_wait() {
        let control = Arc::new(WatchControl::default());
        // A waiter checks the flag and starts to wait while it holds this lock.
        let checking = control.views.lock();
        let stopping = {
            let control = Arc::clone(&control);
            std::thread::spawn(move || control.stop())
        };
        std::thread::sleep(Duration::from_millis(50));
        assert!(!control.is_stopped(), "the stop waits until the waiter can be woken");
        drop(checking);
        stopping.join().unwrap();
        assert!(control.is_stopped());
        control.wait_for(WatchedView::Apps);
    }
}
