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
