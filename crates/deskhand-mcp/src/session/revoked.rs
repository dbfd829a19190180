//! Revoked sessions. They are remembered for a while, so that a client that keeps using one gets an
//! explanation.

use std::{collections::VecDeque, sync::Arc};

use parking_lot::Mutex;
use rmcp::transport::streamable_http_server::session::SessionId;

use crate::server::principal::Principal;

/// Maximum number of remembered sessions.
const MAX_REVOKED: usize = 1024;

/// Revoked sessions and their owners.
#[derive(Debug, Default)]
pub(super) struct RevokedSessions(Mutex<VecDeque<(SessionId, Arc<str>)>>);

impl RevokedSessions {
    /// Adds a session.
    pub(super) fn insert(&self, id: &str, owner: &str) {
        let mut all = self.0.lock();
        if all.len() == MAX_REVOKED {
            all.pop_front();
        }
        all.push_back((id.into(), owner.into()));
    }

    /// Returns `true` if this principal's session was revoked.
    pub(super) fn contains(&self, id: &str, who: &Principal) -> bool {
        self.0.lock().iter().any(|(one, owner)| **one == *id && *owner == who.name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_owner_sees_a_revoked_session_and_old_ones_are_dropped() {
        let revoked = RevokedSessions::default();
        revoked.insert("a", &Principal::token_holder().name);
        assert!(revoked.contains("a", &Principal::token_holder()));
        assert!(
            !revoked.contains("a", &Principal::anonymous())
                && !revoked.contains("b", &Principal::token_holder())
        );
        for at in 0..MAX_REVOKED {
            revoked.insert(&format!("{at}"), "");
        }
        assert!(!revoked.contains("a", &Principal::token_holder()));
    }
}
