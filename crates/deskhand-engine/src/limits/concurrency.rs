//! Limits the number of concurrent calls per caller.

use std::collections::HashMap;

use parking_lot::Mutex;

use super::{Limit, LimitExceeded};
use crate::{SessionKey, timing::CONCURRENCY_RETRY_DELAY};

/// Counts the running calls of each caller.
#[derive(Debug)]
pub(super) struct ConcurrencyLimiter {
    max: u32,
    running: Mutex<HashMap<SessionKey, u32>>,
}

impl ConcurrencyLimiter {
    pub(super) fn new(max: u32) -> Self {
        Self { max, running: Mutex::default() }
    }

    /// Counts one more running call of a caller.
    pub(super) fn acquire(
        &self,
        session: &SessionKey,
    ) -> Result<ConcurrencyPermit<'_>, LimitExceeded> {
        let mut running = self.running.lock();
        let count = running.get(session).copied().unwrap_or(0);
        if self.max > 0 && count >= self.max {
            return Err(LimitExceeded {
                limit: Limit::Concurrency(self.max),
                retry_after: CONCURRENCY_RETRY_DELAY,
            });
        }
        running.insert(session.clone(), count + 1);
        Ok(ConcurrencyPermit { limiter: self, session: session.clone() })
    }

    #[cfg(test)]
    pub(super) fn callers(&self) -> usize {
        self.running.lock().len()
    }
}

/// One running call. Dropping the permit ends it.
#[derive(Debug)]
#[must_use = "the call counts as ended when this is dropped"]
pub struct ConcurrencyPermit<'a> {
    limiter: &'a ConcurrencyLimiter,
    session: SessionKey,
}

impl Drop for ConcurrencyPermit<'_> {
    fn drop(&mut self) {
        let mut running = self.limiter.running.lock();
        match running.get_mut(&self.session) {
            Some(count) if *count > 1 => *count -= 1,
            Some(_) | None => {
                running.remove(&self.session);
            }
        }
    }
}
