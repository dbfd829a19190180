//! The callers there are, and what each has set up.

use std::{
    collections::{HashMap, VecDeque},
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

impl SessionKey {
    /// The word records have for it.
    pub(crate) fn word(&self) -> &str {
        match self {
            Self::Common => "common",
            Self::Of(id) => id,
        }
    }
}

/// How many callers that are gone are remembered.
const GONE: usize = 1024;

/// The state of every caller.
#[derive(Debug, Default)]
pub(crate) struct Sessions(Mutex<Callers>);

#[derive(Debug, Default)]
struct Callers {
    here: HashMap<SessionKey, Arc<Session>>,
    /// Those whose last calls may still be on their way: they begin nothing any more.
    gone: VecDeque<SessionKey>,
}

impl Sessions {
    /// The state of a caller, new at its first call.
    pub(crate) fn get(&self, key: &SessionKey) -> Arc<Session> {
        let mut all = self.lock();
        if let Some(session) = all.here.get(key) {
            return Arc::clone(session);
        }
        if all.gone.contains(key) {
            return Arc::new(Session::ended());
        }
        Arc::clone(all.here.entry(key.clone()).or_default())
    }

    /// Forgets a caller, and ends what it runs.
    pub(crate) fn end(&self, key: &SessionKey) {
        let mut all = self.lock();
        let ended = all.here.remove(key);
        if let SessionKey::Of(_) = key {
            if all.gone.len() == GONE {
                all.gone.pop_front();
            }
            all.gone.push_back(key.clone());
        }
        drop(all);
        if let Some(ended) = ended {
            ended.end();
        }
    }

    /// Forgets everybody.
    pub(crate) fn end_all(&self) {
        let all: Vec<_> = self.lock().here.drain().map(|(_, session)| session).collect();
        all.iter().for_each(|session| session.end());
    }

    /// Ends whatever runs in the background for anybody.
    pub(crate) fn cancel_operations(&self, why: &str) {
        let all: Vec<_> = self.lock().here.values().map(Arc::clone).collect();
        all.iter().for_each(|session| session.cancel_operations(why));
    }

    /// How many resources all callers together have subscribed to.
    pub(crate) fn subscriptions(&self) -> usize {
        self.lock().here.values().map(|session| session.subscriptions()).sum()
    }

    /// Keeps in mind of all who listen to apps what was found in what these reported.
    pub(crate) fn flag_listeners(&self, flags: &[Flag]) {
        if !flags.is_empty() {
            let all = self.lock();
            all.here.values().filter(|one| one.subscriptions() > 0).for_each(|one| one.flag(flags));
        }
    }

    fn lock(&self) -> MutexGuard<'_, Callers> {
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
    fn a_call_that_comes_after_the_end_leaves_nothing_behind() {
        let sessions = Sessions::default();
        let own = SessionKey::Of("a".into());
        sessions.get(&own).acted("x".to_owned());
        sessions.end(&own);
        sessions.get(&own).acted("late".to_owned());
        assert_eq!(sessions.get(&own).actions(), 0);
        for number in 0..2 * GONE {
            sessions.end(&SessionKey::Of(number.to_string().into()));
        }
        assert_eq!(sessions.lock().gone.len(), GONE);
        sessions.end(&SessionKey::Common);
        sessions.get(&SessionKey::Common).acted("x".to_owned());
        assert_eq!(sessions.get(&SessionKey::Common).actions(), 1);
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
