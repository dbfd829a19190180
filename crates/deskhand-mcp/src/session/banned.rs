//! Sessions that were ended for what their clients did: they are remembered for a while, so that a
//! client that goes on learns why.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rmcp::transport::streamable_http_server::session::SessionId;

use crate::server::principal::Principal;

/// How many are remembered.
const MOST: usize = 1024;

/// The sessions that were ended so, and whose they were.
#[derive(Debug, Default)]
pub(super) struct Banned(Mutex<VecDeque<(SessionId, Arc<str>)>>);

impl Banned {
    /// Remembers one.
    pub(super) fn note(&self, id: &str, owner: &str) {
        let mut all = self.lock();
        if all.len() == MOST {
            all.pop_front();
        }
        all.push_back((id.into(), owner.into()));
    }

    /// Whether a session was one of somebody's that was ended so.
    pub(super) fn has(&self, id: &str, who: &Principal) -> bool {
        self.lock().iter().any(|(one, owner)| **one == *id && *owner == who.name)
    }

    fn lock(&self) -> MutexGuard<'_, VecDeque<(SessionId, Arc<str>)>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_its_owner_learns_of_it_and_not_for_ever() {
        let banned = Banned::default();
        banned.note("a", &Principal::holder().name);
        assert!(banned.has("a", &Principal::holder()));
        assert!(!banned.has("a", &Principal::nobody()) && !banned.has("b", &Principal::holder()));
        for at in 0..MOST {
            banned.note(&format!("{at}"), "");
        }
        assert!(!banned.has("a", &Principal::holder()));
    }
}
