//! The point in time by which a call must return.

use std::time::{Duration, Instant};

/// The point in time by which a blocking call must return. Work that would take longer stops and
/// reports a timeout or a partial result.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline(Instant);

impl Deadline {
    /// Creates a deadline `duration` from now.
    pub fn after(duration: Duration) -> Self {
        Self(Instant::now() + duration)
    }

    /// The time remaining; zero once the deadline has passed.
    pub fn remaining(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// Returns `true` if no time remains.
    pub fn has_passed(self) -> bool {
        self.remaining().is_zero()
    }

    /// Returns this deadline, or one `duration` from now if that is earlier.
    #[must_use]
    pub fn at_most(self, duration: Duration) -> Self {
        self.min(Self::after(duration))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_never_outlives_the_call_it_belongs_to() {
        let call = Deadline::after(Duration::from_millis(50));
        assert_eq!(call.at_most(Duration::from_secs(60)), call);
        assert!(call.at_most(Duration::ZERO).has_passed());
    }
}
