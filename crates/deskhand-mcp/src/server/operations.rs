//! Operations that continue in the background after the call that started them was answered.
//! Cancelling the request of such a call cancels the operation.

use std::collections::VecDeque;

use deskhand_engine::SessionKey;
use parking_lot::Mutex;
use rmcp::model::RequestId;

/// Maximum number of remembered operations per connection.
const MAX_OPERATIONS: usize = 1024;

/// A background operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Operation {
    /// The session it belongs to.
    pub(crate) session: SessionKey,
    /// Its id.
    pub(crate) id: String,
}

/// The background operations of a connection, by the request that started them.
#[derive(Debug, Default)]
pub(crate) struct BackgroundOperations(Mutex<VecDeque<(RequestId, Operation)>>);

impl BackgroundOperations {
    /// Stores the operation started by a request.
    pub(crate) fn insert(&self, request: RequestId, operation: Operation) {
        let mut all = self.0.lock();
        if all.len() == MAX_OPERATIONS {
            all.pop_front();
        }
        all.push_back((request, operation));
    }

    /// Removes and returns the operation started by a request.
    pub(crate) fn take(&self, request: &RequestId) -> Option<Operation> {
        let mut all = self.0.lock();
        let index = all.iter().rposition(|(id, _)| id == request)?;
        all.remove(index).map(|(_, operation)| operation)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_operation_is_taken_once_and_the_oldest_is_dropped() {
        let operations = BackgroundOperations::default();
        let operation = |id: i64| Operation { session: SessionKey::Shared, id: format!("op_{id}") };
        for id in 0..=1024 {
            operations.insert(RequestId::Number(id), operation(id));
        }
        assert_eq!(operations.take(&RequestId::Number(0)), None);
        assert_eq!(operations.take(&RequestId::Number(7)), Some(operation(7)));
        assert_eq!(operations.take(&RequestId::Number(7)), None);
    }
}
