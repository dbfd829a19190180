//! The latest events of one app.

use std::collections::VecDeque;

use serde_json::Value;

/// Maximum number of events.
const MAX_EVENTS: usize = 100;

/// The latest events, oldest first.
#[derive(Debug, Default)]
pub(super) struct RecentEvents(VecDeque<Value>);

impl RecentEvents {
    /// Adds an event. Drops the oldest one if there are too many.
    pub(super) fn push(&mut self, event: Value) {
        if self.0.len() == MAX_EVENTS {
            self.0.pop_front();
        }
        self.0.push_back(event);
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
        let mut recent_events = RecentEvents::default();
        for number in 0..250 {
            recent_events.push(Value::from(number));
        }
        let all = recent_events.all();
        assert_eq!((all.len(), &all[0], &all[99]), (100, &150.into(), &249.into()));
    }
}
