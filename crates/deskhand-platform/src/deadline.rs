//! The moment by which a call must have answered.

use std::time::{Duration, Instant};

/// A point in time every blocking call carries; work that would pass it stops and says so.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Deadline(Instant);

impl Deadline {
    /// A deadline this far from now.
    pub fn after(time: Duration) -> Self {
        Self(Instant::now() + time)
    }

    /// How long there is left; zero when it has passed.
    pub fn left(self) -> Duration {
        self.0.saturating_duration_since(Instant::now())
    }

    /// Whether it has passed.
    pub fn passed(self) -> bool {
        self.left().is_zero()
    }

    /// The earlier of this deadline and one this far from now.
    #[must_use]
    pub fn or_after(self, time: Duration) -> Self {
        self.min(Self::after(time))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_never_outlives_the_call_it_belongs_to() {
        let call = Deadline::after(Duration::from_millis(50));
        assert_eq!(call.or_after(Duration::from_secs(60)), call);
        assert!(call.or_after(Duration::ZERO).passed());
    }
}
