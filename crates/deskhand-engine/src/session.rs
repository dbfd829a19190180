//! The sessions of all callers.

use std::{
    collections::{HashMap, VecDeque},
    sync::Arc,
};

use deskhand_model::Flag;
use deskhand_verbs::CallerSession;
use parking_lot::Mutex;

/// The session whose state a call uses.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SessionKey {
    /// The session shared by all callers without a separate one.
    Shared,
    /// The session with this id.
    Id(Arc<str>),
}

impl SessionKey {
    /// Its name in the audit log.
    pub(crate) fn name(&self) -> &str {
        match self {
            Self::Shared => "common",
            Self::Id(id) => id,
        }
    }
}

/// The number of ended sessions that are remembered.
const MAX_ENDED: usize = 1024;

/// All sessions.
#[derive(Debug, Default)]
pub(crate) struct Sessions(Mutex<SessionTable>);

#[derive(Debug, Default)]
struct SessionTable {
    active: HashMap<SessionKey, Arc<CallerSession>>,
    /// Sessions whose last calls may still arrive. Such calls get an ended session.
    ended: VecDeque<SessionKey>,
}

impl Sessions {
    /// Returns a session, and creates it on the first call.
    pub(crate) fn get(&self, key: &SessionKey) -> Arc<CallerSession> {
        let mut all = self.0.lock();
        if let Some(session) = all.active.get(key) {
            return Arc::clone(session);
        }
        if all.ended.contains(key) {
            return Arc::new(CallerSession::ended());
        }
        Arc::clone(all.active.entry(key.clone()).or_default())
    }

    /// Removes a session and ends its operations.
    pub(crate) fn end(&self, key: &SessionKey) {
        let mut all = self.0.lock();
        let ended = all.active.remove(key);
        if let SessionKey::Id(_) = key {
            if all.ended.len() == MAX_ENDED {
                all.ended.pop_front();
            }
            all.ended.push_back(key.clone());
        }
        drop(all);
        if let Some(ended) = ended {
            ended.end();
        }
    }

    /// Removes all sessions and ends their operations.
    pub(crate) fn end_all(&self) {
        let all: Vec<_> = self.0.lock().active.drain().map(|(_, session)| session).collect();
        all.iter().for_each(|session| session.end());
    }

    /// Cancels the background operations of all sessions.
    pub(crate) fn cancel_operations(&self, why: &str) {
        let all: Vec<_> = self.0.lock().active.values().map(Arc::clone).collect();
        all.iter().for_each(|session| session.cancel_operations(why));
    }

    /// Returns the number of resource subscriptions of all sessions.
    pub(crate) fn subscriptions(&self) -> usize {
        self.0.lock().active.values().map(|session| session.subscriptions()).sum()
    }

    /// Flags all sessions that subscribe to app events, because an event contained suspicious text.
    pub(crate) fn flag_listeners(&self, flags: &[Flag]) {
        if !flags.is_empty() {
            let all = self.0.lock();
            all.active
                .values()
                .filter(|one| one.subscriptions() > 0)
                .for_each(|one| one.add_flags(flags));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_caller_has_a_separate_session() {
        let sessions = Sessions::default();
        let own = SessionKey::Id("a".into());
        sessions.get(&own).record_action("x".to_owned());
        assert_eq!(sessions.get(&own).actions(), 1);
        assert_eq!(sessions.get(&SessionKey::Shared).actions(), 0);
        sessions.end(&own);
        assert_eq!(sessions.get(&own).actions(), 0);
    }

    #[test]
    fn a_call_after_the_end_of_its_session_leaves_no_state() {
        let sessions = Sessions::default();
        let own = SessionKey::Id("a".into());
        sessions.get(&own).record_action("x".to_owned());
        sessions.end(&own);
        sessions.get(&own).record_action("late".to_owned());
        assert_eq!(sessions.get(&own).actions(), 0);
        for number in 0..2 * MAX_ENDED {
            sessions.end(&SessionKey::Id(number.to_string().into()));
        }
        assert_eq!(sessions.0.lock().ended.len(), MAX_ENDED);
        sessions.end(&SessionKey::Shared);
        sessions.get(&SessionKey::Shared).record_action("x".to_owned());
        assert_eq!(sessions.get(&SessionKey::Shared).actions(), 1);
    }

    #[test]
    fn subscribers_are_flagged_by_suspicious_events() {
        let sessions = Sessions::default();
        let (subscriber, other) = (SessionKey::Id("a".into()), SessionKey::Id("b".into()));
        sessions.get(&subscriber).set_subscriptions(1);
        sessions.get(&other).set_subscriptions(0);
        sessions.flag_listeners(&[Flag::EscapeSequences]);
        assert_eq!(sessions.get(&subscriber).flags(), [Flag::EscapeSequences]);
        assert!(sessions.get(&other).flags().is_empty());
    }
}
