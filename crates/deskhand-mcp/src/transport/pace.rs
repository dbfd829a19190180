//! The rate limit per client.

use std::{num::NonZeroU32, time::Duration};

use governor::{
    Quota, RateLimiter,
    clock::{Clock, DefaultClock},
    state::keyed::HashMapStateStore,
};

/// Limits the rate of requests per client. Unlimited if no interval is set.
pub(super) struct Pace {
    buckets: Option<RateLimiter<String, HashMapStateStore<String>, DefaultClock>>,
    clock: DefaultClock,
}

impl Pace {
    /// Creates a limiter with a mean interval between requests. A burst of one second's requests is
    /// allowed.
    pub(super) fn new(between: Option<Duration>) -> Self {
        let buckets = between.and_then(|between| {
            let at_once = (1.0 / between.as_secs_f64()).ceil().min(f64::from(u32::MAX));
            // The cast cannot overflow: the value is limited above.
            let at_once = NonZeroU32::new(at_once as u32).unwrap_or(NonZeroU32::MIN);
            Some(RateLimiter::hashmap(Quota::with_period(between)?.allow_burst(at_once)))
        });
        Self { buckets, clock: DefaultClock::default() }
    }

    /// Counts a request. Returns the time to wait if there are too many.
    pub(super) fn count(&self, who: &str) -> Result<(), Duration> {
        let Some(buckets) = &self.buckets else { return Ok(()) };
        let counted = buckets.check_key(&who.to_owned());
        counted.map_err(|until| until.wait_time_from(self.clock.now()))
    }

    /// Removes clients that have not sent requests for long.
    pub(super) fn forget(&self) {
        if let Some(buckets) = &self.buckets {
            buckets.retain_recent();
            buckets.shrink_to_fit();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clients_have_separate_limits() {
        let pace = Pace::new(Some(Duration::from_secs(100)));
        assert!(pace.count("one").is_ok());
        assert!(pace.count("one").unwrap_err() > Duration::from_secs(90));
        assert!(pace.count("other").is_ok());
    }

    #[test]
    fn a_burst_of_one_second_is_allowed() {
        let pace = Pace::new(Some(Duration::from_millis(200)));
        let let_in = (0..50).filter(|_| pace.count("one").is_ok()).count();
        assert!((5..=6).contains(&let_in), "{let_in}");
        pace.forget();
        assert!(pace.count("one").is_err());
    }

    #[test]
    fn without_an_interval_there_is_no_limit() {
        let pace = Pace::new(None);
        assert!((0..1000).all(|_| pace.count("one").is_ok()));
    }
}
