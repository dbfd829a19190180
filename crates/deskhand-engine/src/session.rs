//! The callers there are, and what each has set up.

use std::{
    collections::HashMap,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
};

use deskhand_model::Flag;
use deskhand_tools::Session;

/// Whose state a call uses.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum SessionKey {
    /// The one all callers share that have no session of their own.
    Common,
    /// The one of this caller.
    Of(Arc<str>),
}

/// The state of every caller.
#[derive(Debug, Default)]
pub(crate) struct Sessions(Mutex<HashMap<SessionKey, Arc<Session>>>);

impl Sessions {
    /// The state of a caller, new at its first call.
    pub(crate) fn get(&self, key: &SessionKey) -> Arc<Session> {
        Arc::clone(self.lock().entry(key.clone()).or_default())
    }

    /// Forgets a caller, and ends what it runs.
    pub(crate) fn end(&self, key: &SessionKey) {
        let ended = self.lock().remove(key);
        if let Some(ended) = ended {
            ended.end();
        }
    }

    /// Forgets everybody.
    pub(crate) fn end_all(&self) {
        let all: Vec<_> = self.lock().drain().map(|(_, session)| session).collect();
        all.iter().for_each(|session| session.end());
    }

    /// Ends whatever runs in the background for anybody.
    pub(crate) fn cancel_operations(&self, why: &str) {
        let all: Vec<_> = self.lock().values().map(Arc::clone).collect();
        all.iter().for_each(|session| session.cancel_operations(why));
    }

    /// How many resources all callers together have subscribed to.
    pub(crate) fn subscriptions(&self) -> usize {
        self.lock().values().map(|session| session.subscriptions()).sum()
    }

    /// Keeps in mind of all who listen to apps what was found in what these reported.
    pub(crate) fn flag_listeners(&self, flags: &[Flag]) {
        if !flags.is_empty() {
            let all = self.lock();
            all.values().filter(|one| one.subscriptions() > 0).for_each(|one| one.flag(flags));
        }
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<SessionKey, Arc<Session>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_caller_has_its_own_until_it_ends() {
        let sessions = Sessions::default();
        let own = SessionKey::Of("a".into());
        sessions.get(&own).acted("x".to_owned());
        assert_eq!(sessions.get(&own).actions(), 1);
        assert_eq!(sessions.get(&SessionKey::Common).actions(), 0);
        sessions.end(&own);
        assert_eq!(sessions.get(&own).actions(), 0);
    }

    #[test]
    fn who_listens_is_flagged_by_what_apps_report() {
        let sessions = Sessions::default();
        let (listens, other) = (SessionKey::Of("a".into()), SessionKey::Of("b".into()));
        sessions.get(&listens).subscribed(1);
        sessions.get(&other).subscribed(0);
        sessions.flag_listeners(&[Flag::EscapeSequences]);
        assert_eq!(sessions.get(&listens).flagged(), [Flag::EscapeSequences]);
        assert!(sessions.get(&other).flagged().is_empty());
    }
}
