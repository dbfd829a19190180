//! What is shared between those who want to know and the thread that listens for them.

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

/// How long whoever subscribes waits until changes are really listened for.
const TO_SETTLE: Duration = Duration::from_secs(5);

/// The hold on one listening thread.
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

    /// Whether it was asked to.
    pub(super) fn is_stopped(&self) -> bool {
        self.stopped.load(Ordering::Relaxed)
    }

    /// Says what is to be looked at.
    pub(super) fn want(&self, sights: BTreeSet<Sight>) {
        let mut all = self.sights();
        all.settled.retain(|sight| sights.contains(sight));
        all.wanted = sights;
    }

    /// What is to be looked at.
    pub(super) fn wanted(&self) -> BTreeSet<Sight> {
        self.sights().wanted.clone()
    }

    /// Says that from now on no change of this is missed.
    pub(super) fn settle(&self, sight: Sight) {
        if self.sights().settled.insert(sight) {
            self.settled.notify_all();
        }
    }

    /// Waits until no change of this is missed any more. An app that does not answer is not waited
    /// for: the first look that succeeds is news then.
    pub(super) fn wait_for(&self, sight: Sight) {
        let is_open = |all: &mut Sights| !all.settled.contains(&sight) && !self.is_stopped();
        let waited = self.settled.wait_timeout_while(self.sights(), TO_SETTLE, is_open);
        drop(waited.unwrap_or_else(PoisonError::into_inner));
    }

    /// Adds to what happened.
    pub(super) fn happened(&self, all: Vec<Value>) {
        let mut ring = self.ring();
        for one in all {
            ring.push(one);
        }
    }

    /// What happened last.
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
