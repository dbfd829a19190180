//! Who runs now and who waits: so many at once, the others in the order they came.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use super::handle::Operation;
use crate::Error;

/// The most operations that wait.
const WAITING: usize = 1000;

/// The line of one session.
#[derive(Debug)]
pub(crate) struct Line {
    at_once: usize,
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    running: usize,
    waiting: VecDeque<(Arc<Operation>, Seat)>,
    door: Door,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Door {
    #[default]
    Open,
    Closed,
}

/// Where an operation will run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Seat {
    /// In the thread that asked for it, which waits.
    Caller,
    /// In a thread of its own.
    Background,
}

/// Whether there is room.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Room {
    /// It begins.
    Now,
    /// It waits.
    Later,
}

impl Line {
    pub(crate) fn new(at_once: usize) -> Self {
        Self { at_once: at_once.max(1), inner: Mutex::default() }
    }

    /// Takes a place, or stands in line.
    pub(crate) fn enter(&self, operation: &Arc<Operation>, seat: Seat) -> Result<Room, Error> {
        let mut inner = self.inner();
        if inner.door == Door::Closed {
            return Err(Error::Closed);
        }
        if inner.running < self.at_once {
            inner.running += 1;
            return Ok(Room::Now);
        }
        inner.waiting.retain(|(waiting, _)| !waiting.state().is_over());
        if inner.waiting.len() >= WAITING {
            return Err(Error::Full { waiting: inner.waiting.len() });
        }
        inner.waiting.push_back((Arc::clone(operation), seat));
        Ok(Room::Later)
    }

    /// Gives a place up. Whoever waits in a thread gets it; one without a thread is handed back, with
    /// the place.
    pub(crate) fn leave(&self) -> Option<Arc<Operation>> {
        let mut inner = self.inner();
        while let Some((next, seat)) = inner.waiting.pop_front() {
            match seat {
                Seat::Caller if next.give_turn() => return None,
                Seat::Background if !next.state().is_over() => return Some(next),
                Seat::Caller | Seat::Background => {}
            }
        }
        inner.running -= 1;
        None
    }

    /// Lets nobody in any more.
    pub(crate) fn close(&self) {
        self.inner().door = Door::Closed;
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
