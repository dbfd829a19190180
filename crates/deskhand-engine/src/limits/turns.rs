//! How many calls of each caller are under way.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::{Exceeded, Limit};
use crate::SessionKey;

/// When a caller with too many calls under way may come again; nobody knows how long they take.
const SOON: Duration = Duration::from_millis(100);

/// The calls under way.
#[derive(Debug)]
pub(super) struct Turns {
    most: u32,
    under_way: Mutex<HashMap<SessionKey, u32>>,
}

impl Turns {
    pub(super) fn new(most: u32) -> Self {
        Self { most, under_way: Mutex::default() }
    }

    /// One more call of a caller.
    pub(super) fn take(&self, session: &SessionKey) -> Result<Turn<'_>, Exceeded> {
        let mut all = self.all();
        let count = all.get(session).copied().unwrap_or(0);
        if self.most > 0 && count >= self.most {
            return Err(Exceeded { limit: Limit::AtOnce(self.most), retry_after: SOON });
        }
        all.insert(session.clone(), count + 1);
        Ok(Turn { turns: self, session: session.clone() })
    }

    fn all(&self) -> MutexGuard<'_, HashMap<SessionKey, u32>> {
        self.under_way.lock().unwrap_or_else(PoisonError::into_inner)
    }

    #[cfg(test)]
    pub(super) fn callers(&self) -> usize {
        self.all().len()
    }
}

/// One call under way, until it is dropped.
#[derive(Debug)]
#[must_use = "the call counts as over once this is dropped"]
pub struct Turn<'a> {
    turns: &'a Turns,
    session: SessionKey,
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let mut all = self.turns.all();
        match all.get_mut(&self.session) {
            Some(count) if *count > 1 => *count -= 1,
            Some(_) | None => {
                all.remove(&self.session);
            }
        }
    }
}
