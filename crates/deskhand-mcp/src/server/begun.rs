//! What the calls of a connection have begun that goes on after they were answered: who cancels such a
//! call later means that.

use std::{
    collections::VecDeque,
    sync::{Mutex, PoisonError},
};

use deskhand_engine::SessionKey;
use rmcp::model::RequestId;

/// How many are remembered.
const MOST: usize = 1024;

/// One thing that goes on.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Operation {
    /// Whose it is.
    pub(crate) session: SessionKey,
    /// Its name.
    pub(crate) id: String,
}

/// The requests that began something.
#[derive(Debug, Default)]
pub(crate) struct Begun(Mutex<VecDeque<(RequestId, Operation)>>);

impl Begun {
    /// Remembers what a request began.
    pub(crate) fn note(&self, request: RequestId, operation: Operation) {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if all.len() == MOST {
            all.pop_front();
        }
        all.push_back((request, operation));
    }

    /// What a request began; it is asked for once.
    pub(crate) fn take(&self, request: &RequestId) -> Option<Operation> {
        let mut all = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = all.iter().rposition(|(id, _)| id == request)?;
        all.remove(at).map(|(_, operation)| operation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_request_began_is_found_once_and_the_oldest_is_forgotten() {
        let begun = Begun::default();
        let operation = |id: i64| Operation { session: SessionKey::Common, id: format!("op_{id}") };
        for id in 0..=1024 {
            begun.note(RequestId::Number(id), operation(id));
        }
        assert_eq!(begun.take(&RequestId::Number(0)), None);
        assert_eq!(begun.take(&RequestId::Number(7)), Some(operation(7)));
        assert_eq!(begun.take(&RequestId::Number(7)), None);
    }
}
