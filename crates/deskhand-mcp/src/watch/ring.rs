//! The latest events of one app.

use std::collections::VecDeque;

use serde_json::Value;

/// Maximum number of events.
const LAST: usize = 100;

/// The latest events, oldest first.
#[derive(Debug, Default)]
pub(super) struct Ring(VecDeque<Value>);

impl Ring {
    /// Adds an event. Drops the oldest one if there are too many.
    pub(super) fn push(&mut self, happened: Value) {
        if self.0.len() == LAST {
            self.0.pop_front();
        }
        self.0.push_back(happened);
    }

    /// Returns all events.
    pub(super) fn all(&self) -> Vec<Value> {
        self.0.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_event_is_dropped() {
        let mut ring = Ring::default();
        for number in 0..250 {
            ring.push(Value::from(number));
        }
        let all = ring.all();
        assert_eq!((all.len(), &all[0], &all[99]), (100, &150.into(), &249.into()));
    }
}
