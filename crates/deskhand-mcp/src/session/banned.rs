//! Revoked sessions. They are remembered for a while, so that a client that keeps using one gets an
//! explanation.

use std::{
    collections::VecDeque,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use rmcp::transport::streamable_http_server::session::SessionId;

use crate::server::principal::Principal;

/// Maximum number of remembered sessions.
const MOST: usize = 1024;

/// Revoked sessions and their owners.
#[derive(Debug, Default)]
pub(super) struct Banned(Mutex<VecDeque<(SessionId, Arc<str>)>>);

impl Banned {
    /// Adds a session.
    pub(super) fn note(&self, id: &str, owner: &str) {
        let mut all = self.lock();
        if all.len() == MOST {
            all.pop_front();
        }
        all.push_back((id.into(), owner.into()));
    }

    /// Returns `true` if this principal's session was revoked.
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
    fn only_the_owner_sees_a_revoked_session_and_old_ones_are_dropped() {
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
