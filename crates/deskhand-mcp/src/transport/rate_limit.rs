//! The rate limit per client.

use std::{num::NonZeroU32, time::Duration};

use governor::{
    Quota, RateLimiter,
    clock::{Clock, DefaultClock},
    state::keyed::HashMapStateStore,
};

/// Limits the rate of requests per client. Unlimited if no interval is set.
pub(super) struct ClientRateLimiter {
    buckets: Option<RateLimiter<String, HashMapStateStore<String>, DefaultClock>>,
    clock: DefaultClock,
}

impl ClientRateLimiter {
    /// Creates a limiter with a mean interval between requests. A burst of one second's requests is
    /// allowed.
    pub(super) fn new(interval: Option<Duration>) -> Self {
        let buckets = interval.and_then(|interval| {
            let burst = (1.0 / interval.as_secs_f64()).ceil().min(f64::from(u32::MAX));
            // The cast cannot overflow: the value is limited above.
            let burst = NonZeroU32::new(burst as u32).unwrap_or(NonZeroU32::MIN);
            Some(RateLimiter::hashmap(Quota::with_period(interval)?.allow_burst(burst)))
        });
        Self { buckets, clock: DefaultClock::default() }
    }

    /// Counts a request. Returns the time to wait if there are too many.
    pub(super) fn check(&self, client: &str) -> Result<(), Duration> {
        let Some(buckets) = &self.buckets else { return Ok(()) };
        let counted = buckets.check_key(&client.to_owned());
        counted.map_err(|until| until.wait_time_from(self.clock.now()))
    }

    /// Removes clients that have not sent requests for long.
    pub(super) fn remove_idle(&self) {
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
        let limiter = ClientRateLimiter::new(Some(Duration::from_secs(100)));
        assert!(limiter.check("one").is_ok());
        assert!(limiter.check("one").unwrap_err() > Duration::from_secs(90));
        assert!(limiter.check("other").is_ok());
    }

    #[test]
    fn a_burst_of_one_second_is_allowed() {
        let limiter = ClientRateLimiter::new(Some(Duration::from_millis(200)));
        let accepted = (0..50).filter(|_| limiter.check("one").is_ok()).count();
        assert!((5..=6).contains(&accepted), "{accepted}");
        limiter.remove_idle();
        assert!(limiter.check("one").is_err());
    }

    #[test]
    fn without_an_interval_there_is_no_limit() {
        let limiter = ClientRateLimiter::new(None);
        assert!((0..1000).all(|_| limiter.check("one").is_ok()));
    }
}
