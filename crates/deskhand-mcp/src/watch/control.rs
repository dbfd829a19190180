//! State shared between subscribers and a watcher thread.

use std::{
    collections::BTreeSet,
    sync::{
        Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, Ordering},
    },
    time::Duration,
};

use serde_json::Value;

use super::{place::Sight, ring::Ring};

/// Controls one watcher thread.
#[derive(Debug, Default)]
pub(super) struct Control {
    stopped: AtomicBool,
    sights: Mutex<Sights>,
    settled: Condvar,
    ring: Mutex<Ring>,
}

#[derive(Debug, Default)]
struct Sights {
    wanted: BTreeSet<Sight>,
    settled: BTreeSet<Sight>,
}

impl Control {
    /// Asks the thread to end.
    pub(super) fn stop(&self) {
        self.stopped.store(true, Ordering::Relaxed);
        self.settled.notify_all();
    }

    /// Returns `true` if the thread was asked to end.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Sets the views to watch.
    pub(super) fn want(&self, sights: BTreeSet<Sight>) {
        let mut all = self.sights();
        all.settled.retain(|sight| sights.contains(sight));
        all.wanted = sights;
    }

    /// Returns the views to watch.
    pub(super) fn wanted(&self) -> BTreeSet<Sight> {
        self.sights().wanted.clone()
    }

    /// Marks that changes of a view are no longer missed.
    pub(super) fn settle(&self, sight: Sight) {
        if self.sights().settled.insert(sight) {
            self.settled.notify_all();
        }
    }

    /// Waits until changes of a view are no longer missed, up to a timeout. If an app does not answer
    /// in time, its first successful read counts as a change.
    pub(super) fn wait_for(&self, sight: Sight) {
        let is_open = |all: &mut Sights| !all.settled.contains(&sight) && !self.is_stopped();
        let waited = self.settled.wait_timeout_while(self.sights(), TO_SETTLE, is_open);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    /// Adds events.
    pub(super) fn happened(&self, all: Vec<Value>) {
        let mut ring = self.ring();
        for one in all {
            ring.push(one);
        }
    }

    /// Returns the latest events.
    pub(super) fn recent(&self) -> Vec<Value> {
        self.ring().all()
    }

    fn sights(&self) -> MutexGuard<'_, Sights> {
        self.sights.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn ring(&self) -> MutexGuard<'_, Ring> {
        self.ring.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
