//! What happened last in one app.

use std::collections::VecDeque;

use serde_json::Value;

/// How much is remembered.
const LAST: usize = 100;

/// The last happenings, the oldest first.
#[derive(Debug, Default)]
pub(super) struct Ring(VecDeque<Value>);

impl Ring {
    /// Adds one.
    pub(super) fn push(&mut self, happened: Value) {
        if self.0.len() == LAST {
            self.0.pop_front();
        }
        self.0.push_back(happened);
    }

    /// All that are remembered.
    pub(super) fn all(&self) -> Vec<Value> {
        self.0.iter().cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_oldest_is_forgotten() {
        let mut ring = Ring::default();
        for number in 0..250 {
            ring.push(Value::from(number));
        }
        let all = ring.all();
        assert_eq!((all.len(), &all[0], &all[99]), (100, &150.into(), &249.into()));
    }
}
