//! Rate limits. Calls above a limit are refused; writes above their limit are delayed.
//!
//! Calls are counted per caller. Images for models, scripts and writes are counted for all callers
//! together.

mod concurrency;
mod exceeded;

use std::{num::NonZeroU32, time::Duration};

use governor::{
    Quota, RateLimiter,
    clock::{Clock, MonotonicClock},
    middleware::NoOpMiddleware,
    state::{InMemoryState, NotKeyed, keyed::HashMapStateStore},
};

use self::concurrency::ConcurrencyLimiter;
pub use self::{
    concurrency::ConcurrencyPermit,
    exceeded::{Limit, LimitExceeded},
};
use crate::SessionKey;

/// The configured rate limits; 0 means no limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RateLimits {
    /// Calls per second of one caller.
    pub per_second: u32,
    /// Calls per minute of one caller.
    pub per_minute: u32,
    /// Concurrent calls of one caller.
    pub max_concurrent: u32,
    /// Calls per minute that send an image to a model.
    pub vision_per_minute: u32,
    /// Calls per minute that run a script.
    pub scripts_per_minute: u32,
    /// Calls per second that change something; further ones are delayed.
    pub writes_per_second: u32,
}

impl Default for RateLimits {
    fn default() -> Self {
        Self {
            per_second: 50,
            per_minute: 1000,
            max_concurrent: 10,
            vision_per_minute: 10,
            scripts_per_minute: 5,
            writes_per_second: 10,
        }
    }
}

type GlobalLimiter<C> =
    RateLimiter<NotKeyed, InMemoryState, C, NoOpMiddleware<<C as Clock>::Instant>>;
type PerCallerLimiter<C> = RateLimiter<
    SessionKey,
    HashMapStateStore<SessionKey>,
    C,
    NoOpMiddleware<<C as Clock>::Instant>,
>;

/// The number of callers above which inactive ones are removed. A caller is inactive if its limits
/// have fully recovered.
const MAX_TRACKED_CALLERS: usize = 256;

/// Counts calls against the rate limits.
pub struct CallLimiter<C: Clock = MonotonicClock> {
    limits: RateLimits,
    clock: C,
    per_second: Option<PerCallerLimiter<C>>,
    per_minute: Option<PerCallerLimiter<C>>,
    concurrency: ConcurrencyLimiter,
    vision: Option<GlobalLimiter<C>>,
    scripts: Option<GlobalLimiter<C>>,
    writes: Option<GlobalLimiter<C>>,
}

impl CallLimiter {
    /// Creates a limiter with all counters at zero.
    pub fn new(limits: &RateLimits) -> Self {
        Self::with_clock(limits, MonotonicClock)
    }
}

impl<C: Clock + Clone> CallLimiter<C> {
    fn with_clock(limits: &RateLimits, clock: C) -> Self {
        let per_caller = |max: u32, quota: fn(NonZeroU32) -> Quota| {
            let quota = quota(NonZeroU32::new(max)?);
            Some(RateLimiter::new(quota, HashMapStateStore::default(), clock.clone()))
        };
        let global = |max: u32, quota: fn(NonZeroU32) -> Quota| {
            let quota = quota(NonZeroU32::new(max)?);
            Some(RateLimiter::direct_with_clock(quota, clock.clone()))
        };
        Self {
            limits: *limits,
            per_second: per_caller(limits.per_second, Quota::per_second),
            per_minute: per_caller(limits.per_minute, Quota::per_minute),
            concurrency: ConcurrencyLimiter::new(limits.max_concurrent),
            vision: global(limits.vision_per_minute, Quota::per_minute),
            scripts: global(limits.scripts_per_minute, Quota::per_minute),
            writes: global(limits.writes_per_second, Quota::per_second),
            clock,
        }
    }

    /// Returns the number of concurrent calls that one caller may make; 0 means no limit.
    pub fn max_concurrent(&self) -> u32 {
        self.limits.max_concurrent
    }

    /// Counts a call of a caller. The call counts as running until the permit is dropped.
    ///
    /// # Errors
    ///
    /// If the caller made too many calls recently, or too many of its calls are running.
    pub fn admit(&self, session: &SessionKey) -> Result<ConcurrencyPermit<'_>, LimitExceeded> {
        let permit = self.concurrency.acquire(session)?;
        self.check_caller(
            self.per_second.as_ref(),
            session,
            Limit::PerSecond(self.limits.per_second),
        )?;
        self.check_caller(
            self.per_minute.as_ref(),
            session,
            Limit::PerMinute(self.limits.per_minute),
        )?;
        Ok(permit)
    }

    /// Counts an image for a model.
    ///
    /// # Errors
    ///
    /// If there were too many recently.
    pub fn check_vision(&self) -> Result<(), LimitExceeded> {
        self.check_global(self.vision.as_ref(), Limit::Vision(self.limits.vision_per_minute))
    }

    /// Counts a script.
    ///
    /// # Errors
    ///
    /// If too many ran recently.
    pub fn check_script(&self) -> Result<(), LimitExceeded> {
        self.check_global(self.scripts.as_ref(), Limit::Scripts(self.limits.scripts_per_minute))
    }

    /// Waits until a call that changes something may run, and returns the delay. `pause` sleeps for
    /// the given time, or fails to stop waiting.
    ///
    /// # Errors
    ///
    /// The error of `pause`.
    pub fn wait_for_write<E>(
        &self,
        mut pause: impl FnMut(Duration) -> Result<(), E>,
    ) -> Result<Duration, E> {
        let Some(writes) = &self.writes else { return Ok(Duration::ZERO) };
        let mut delay = Duration::ZERO;
        while let Err(early) = writes.check() {
            let time = early.wait_time_from(self.clock.now());
            pause(time)?;
            delay += time;
        }
        Ok(delay)
    }

    fn check_caller(
        &self,
        limiter: Option<&PerCallerLimiter<C>>,
        session: &SessionKey,
        limit: Limit,
    ) -> Result<(), LimitExceeded> {
        let Some(limiter) = limiter else { return Ok(()) };
        if limiter.len() >= MAX_TRACKED_CALLERS {
            limiter.retain_recent();
        }
        limiter.check_key(session).map_err(|early| LimitExceeded {
            limit,
            retry_after: early.wait_time_from(self.clock.now()),
        })
    }

    fn check_global(
        &self,
        limiter: Option<&GlobalLimiter<C>>,
        limit: Limit,
    ) -> Result<(), LimitExceeded> {
        let Some(limiter) = limiter else { return Ok(()) };
        limiter.check().map_err(|early| LimitExceeded {
            limit,
            retry_after: early.wait_time_from(self.clock.now()),
        })
    }
}

#[cfg(test)]
mod tests;
