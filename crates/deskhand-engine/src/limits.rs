//! How much callers may do in a time: what is too much is refused, and writes that come too fast
//! wait for their turn. Each caller has calls of its own; pictures given to models, scripts and
//! writes are counted for all callers together.

mod exceeded;
mod turns;

use std::{num::NonZeroU32, time::Duration};

use governor::{
    Quota, RateLimiter,
    clock::{Clock, MonotonicClock},
    middleware::NoOpMiddleware,
    state::{InMemoryState, NotKeyed, keyed::HashMapStateStore},
};

use self::turns::Turns;
pub use self::{
    exceeded::{Exceeded, Limit},
    turns::Turn,
};
use crate::SessionKey;

/// How much is allowed; 0 means as much as anybody likes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rates {
    /// Calls of one caller in a second.
    pub per_second: u32,
    /// Calls of one caller in a minute.
    pub per_minute: u32,
    /// Calls of one caller that run at the same time.
    pub at_once: u32,
    /// Calls in a minute that give a picture to a model.
    pub vision_per_minute: u32,
    /// Calls in a minute that run code of the caller.
    pub scripts_per_minute: u32,
    /// Calls in a second that change something; more than these wait.
    pub writes_per_second: u32,
}

impl Default for Rates {
    fn default() -> Self {
        Self {
            per_second: 50,
            per_minute: 1000,
            at_once: 10,
            vision_per_minute: 10,
            scripts_per_minute: 5,
            writes_per_second: 10,
        }
    }
}

type OfAll<C> = RateLimiter<NotKeyed, InMemoryState, C, NoOpMiddleware<<C as Clock>::Instant>>;
type OfEach<C> = RateLimiter<
    SessionKey,
    HashMapStateStore<SessionKey>,
    C,
    NoOpMiddleware<<C as Clock>::Instant>,
>;

/// From how many callers on those are forgotten that have been still for as long as a limit looks
/// back: they are like new ones.
const MANY: usize = 256;

/// Counts calls against the rates.
pub struct Limits<C: Clock = MonotonicClock> {
    rates: Rates,
    clock: C,
    second: Option<OfEach<C>>,
    minute: Option<OfEach<C>>,
    turns: Turns,
    vision: Option<OfAll<C>>,
    scripts: Option<OfAll<C>>,
    writes: Option<OfAll<C>>,
}

impl Limits {
    /// Nothing counted yet.
    pub fn new(rates: &Rates) -> Self {
        Self::by(rates, MonotonicClock)
    }
}

impl<C: Clock + Clone> Limits<C> {
    /// The same by another clock.
    fn by(rates: &Rates, clock: C) -> Self {
        let each = |most: u32, quota: fn(NonZeroU32) -> Quota| {
            let quota = quota(NonZeroU32::new(most)?);
            Some(RateLimiter::new(quota, HashMapStateStore::default(), clock.clone()))
        };
        let all = |most: u32, quota: fn(NonZeroU32) -> Quota| {
            let quota = quota(NonZeroU32::new(most)?);
            Some(RateLimiter::direct_with_clock(quota, clock.clone()))
        };
        Self {
            rates: *rates,
            second: each(rates.per_second, Quota::per_second),
            minute: each(rates.per_minute, Quota::per_minute),
            turns: Turns::new(rates.at_once),
            vision: all(rates.vision_per_minute, Quota::per_minute),
            scripts: all(rates.scripts_per_minute, Quota::per_minute),
            writes: all(rates.writes_per_second, Quota::per_second),
            clock,
        }
    }

    /// How many calls of one caller may run at the same time; 0 means as many as it likes.
    pub fn at_once(&self) -> u32 {
        self.rates.at_once
    }

    /// Lets a call of a caller run; it counts as running until what is returned is dropped.
    ///
    /// # Errors
    ///
    /// When the caller made too many lately, or has too many under way.
    pub fn admit(&self, session: &SessionKey) -> Result<Turn<'_>, Exceeded> {
        let turn = self.turns.take(session)?;
        self.count(self.second.as_ref(), session, Limit::PerSecond(self.rates.per_second))?;
        self.count(self.minute.as_ref(), session, Limit::PerMinute(self.rates.per_minute))?;
        Ok(turn)
    }

    /// Counts a picture that is given to a model.
    ///
    /// # Errors
    ///
    /// When too many were lately.
    pub fn vision(&self) -> Result<(), Exceeded> {
        self.spend(self.vision.as_ref(), Limit::Vision(self.rates.vision_per_minute))
    }

    /// Counts a script.
    ///
    /// # Errors
    ///
    /// When too many ran lately.
    pub fn script(&self) -> Result<(), Exceeded> {
        self.spend(self.scripts.as_ref(), Limit::Scripts(self.rates.scripts_per_minute))
    }

    /// Waits for the turn of a call that changes something, and returns how long that took. `pause`
    /// waits for the time it is given, or ends the waiting.
    ///
    /// # Errors
    ///
    /// What `pause` says when it ends the waiting.
    pub fn write<E>(
        &self,
        mut pause: impl FnMut(Duration) -> Result<(), E>,
    ) -> Result<Duration, E> {
        let Some(writes) = &self.writes else { return Ok(Duration::ZERO) };
        let mut waited = Duration::ZERO;
        while let Err(early) = writes.check() {
            let left = early.wait_time_from(self.clock.now());
            pause(left)?;
            waited += left;
        }
        Ok(waited)
    }

    fn count(
        &self,
        calls: Option<&OfEach<C>>,
        session: &SessionKey,
        limit: Limit,
    ) -> Result<(), Exceeded> {
        let Some(calls) = calls else { return Ok(()) };
        if calls.len() >= MANY {
            calls.retain_recent();
        }
        let outcome = calls.check_key(session);
        outcome.map_err(|early| Exceeded {
            limit,
            retry_after: early.wait_time_from(self.clock.now()),
        })
    }

    fn spend(&self, counted: Option<&OfAll<C>>, limit: Limit) -> Result<(), Exceeded> {
        let Some(counted) = counted else { return Ok(()) };
        counted.check().map_err(|early| Exceeded {
            limit,
            retry_after: early.wait_time_from(self.clock.now()),
        })
    }
}

#[cfg(test)]
mod tests;
