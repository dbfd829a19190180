//! The queue of a session: a fixed number of operations run at once, the others wait in order.

use std::{collections::VecDeque, sync::Arc};

use parking_lot::Mutex;

use super::handle::Operation;
use crate::Error;

/// Maximum number of waiting operations.
const MAX_WAITING: usize = 1000;

/// The operations of one session that run or wait.
#[derive(Debug)]
pub(crate) struct RunQueue {
    max_running: usize,
    state: Mutex<QueueState>,
}

#[derive(Debug, Default)]
struct QueueState {
    running: usize,
    waiting: VecDeque<(Arc<Operation>, Runner)>,
    closed: bool,
}

/// The thread that runs an operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Runner {
    /// The calling thread, which waits for its turn.
    Caller,
    /// A new thread.
    Background,
}

/// The decision of the queue about a new operation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Admission {
    /// It may run now.
    Run,
    /// It waits in the queue.
    Wait,
}

impl RunQueue {
    pub(crate) fn new(max_running: usize) -> Self {
        Self { max_running: max_running.max(1), state: Mutex::default() }
    }

    /// Takes a slot for an operation, or puts it into the queue.
    pub(crate) fn admit(
        &self,
        operation: &Arc<Operation>,
        runner: Runner,
    ) -> Result<Admission, Error> {
        let mut state = self.state.lock();
        if state.closed {
            return Err(Error::SessionEnded);
        }
        if state.running < self.max_running {
            state.running += 1;
            return Ok(Admission::Run);
        }
        state.waiting.retain(|(waiting, _)| !waiting.state().is_over());
        if state.waiting.len() >= MAX_WAITING {
            return Err(Error::QueueFull { waiting: state.waiting.len() });
        }
        state.waiting.push_back((Arc::clone(operation), runner));
        Ok(Admission::Wait)
    }

    /// Releases a slot. The next operation takes it over: a waiting caller is woken, a background operation is
    /// returned for the caller to run.
    pub(crate) fn release(&self) -> Option<Arc<Operation>> {
        let mut state = self.state.lock();
        while let Some((next, runner)) = state.waiting.pop_front() {
            match runner {
                Runner::Caller if next.grant_turn() => return None,
                Runner::Background if !next.state().is_over() => return Some(next),
                Runner::Caller | Runner::Background => {}
            }
        }
        state.running -= 1;
        None
    }

    /// Refuses all further operations.
    pub(crate) fn close(&self) {
        self.state.lock().closed = true;
    }
}
