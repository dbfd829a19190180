//! Refusals that come in masses: the first are recorded one by one, of the others how many there were.
//! Otherwise whoever is refused often enough would push everything else out of the log.

use std::{
    collections::HashMap,
    num::NonZeroU32,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use governor::{
    Quota, RateLimiter,
    clock::{Clock, MonotonicClock},
    middleware::NoOpMiddleware,
    state::keyed::HashMapStateStore,
};

/// How many refusals of one kind are recorded one by one.
const WHOLE: NonZeroU32 = NonZeroU32::new(200).unwrap();

/// After so long it is one more.
const EVERY: Duration = Duration::from_secs(10);

/// How large a part of all refusals of a kind may wait to be recorded: one of so many.
const PART: u64 = 4;

/// From how many kinds on new ones are counted together.
const MANY: usize = 256;

/// Who is named for those.
const OTHERS: &str = "others";

/// Who was refused, and the code of it.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct Kind {
    /// Their name, empty for the owner.
    pub(super) who: String,
    /// The code.
    pub(super) code: String,
}

/// How a refusal is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Told {
    /// By a line of its own, which also tells how many before it have none.
    Whole {
        /// How many.
        left_out: u64,
    },
    /// By a line that tells how many there were.
    Count {
        /// How many.
        left_out: u64,
    },
    /// By a line that comes later.
    Later,
}

type Pace = RateLimiter<
    Kind,
    HashMapStateStore<Kind>,
    MonotonicClock,
    NoOpMiddleware<<MonotonicClock as Clock>::Instant>,
>;

#[derive(Debug, Default)]
struct Count {
    recorded: u64,
    waiting: u64,
}

/// The refusals of this program.
#[derive(Debug)]
pub(super) struct Refusals {
    pace: Pace,
    counts: Mutex<HashMap<Kind, Count>>,
}

impl Refusals {
    pub(super) fn new() -> Self {
        let usual = Quota::per_second(WHOLE);
        let quota = Quota::with_period(EVERY).unwrap_or(usual).allow_burst(WHOLE);
        let pace = RateLimiter::new(quota, HashMapStateStore::default(), MonotonicClock);
        Self { pace, counts: Mutex::default() }
    }

    /// One more refusal: the kind it is counted as, and how it is recorded.
    pub(super) fn one_more(&self, who: &str, code: &str) -> (Kind, Told) {
        let mut counts = self.counts();
        let mut kind = Kind { who: who.to_owned(), code: code.to_owned() };
        if counts.len() >= MANY && !counts.contains_key(&kind) {
            OTHERS.clone_into(&mut kind.who);
        }
        let count = counts.entry(kind.clone()).or_default();
        count.waiting += 1;
        let told = if self.pace.check_key(&kind).is_ok() {
            Told::Whole { left_out: count.take() - 1 }
        } else if count.waiting > count.recorded / PART {
            Told::Count { left_out: count.take() }
        } else {
            Told::Later
        };
        (kind, told)
    }

    /// Takes back that refusals were recorded.
    pub(super) fn were_not_recorded(&self, kind: Kind, told: Told) {
        let lost = match told {
            Told::Whole { left_out } => left_out + 1,
            Told::Count { left_out } => left_out,
            Told::Later => 0,
        };
        let mut counts = self.counts();
        let count = counts.entry(kind).or_default();
        count.recorded = count.recorded.saturating_sub(lost);
        count.waiting += lost;
    }

    /// Those that wait to be recorded, which then wait no longer.
    pub(super) fn take_waiting(&self) -> Vec<(Kind, u64)> {
        let mut counts = self.counts();
        let waiting = counts.iter_mut().filter(|(_, count)| count.waiting > 0);
        waiting.map(|(kind, count)| (kind.clone(), count.take())).collect()
    }

    fn counts(&self) -> MutexGuard<'_, HashMap<Kind, Count>> {
        self.counts.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Count {
    fn take(&mut self) -> u64 {
        let waiting = std::mem::take(&mut self.waiting);
        self.recorded += waiting;
        waiting
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_mass_of_refusals_is_told_in_few_lines_that_add_up() {
        let refusals = Refusals::new();
        let (mut lines, mut told) = (0_u64, 0);
        for one in 1..=100_000_u64 {
            match refusals.one_more("", "forbidden").1 {
                Told::Whole { left_out } => (lines, told) = (lines + 1, told + left_out + 1),
                Told::Count { left_out } => (lines, told) = (lines + 1, told + left_out),
                Told::Later => {}
            }
            assert!(told >= one - one / PART, "{told} of {one} are on record if it is killed now");
        }
        assert!(lines < 300, "{lines}");
        let rest: u64 = refusals.take_waiting().into_iter().map(|(_, count)| count).sum();
        assert_eq!(told + rest, 100_000);
        assert!(refusals.take_waiting().is_empty());
    }

    #[test]
    fn each_kind_has_lines_of_its_own_and_no_more_kinds_are_kept_than_many() {
        let refusals = Refusals::new();
        for _ in 0..=WHOLE.get() {
            refusals.one_more("a", "forbidden");
        }
        let whole = Told::Whole { left_out: 0 };
        assert_eq!(refusals.one_more("a", "halted").1, whole);
        assert_eq!(refusals.one_more("b", "forbidden").1, whole);
        for number in 0..2 * MANY {
            refusals.one_more(&number.to_string(), "forbidden");
        }
        assert!(refusals.counts().len() <= MANY + 1);
        assert_eq!(refusals.one_more("late", "forbidden").0.who, OTHERS);
    }

    #[test]
    fn what_could_not_be_recorded_is_told_with_the_next() {
        let refusals = Refusals::new();
        let (kind, told) = refusals.one_more("", "forbidden");
        refusals.were_not_recorded(kind, told);
        assert_eq!(refusals.one_more("", "forbidden").1, Told::Whole { left_out: 1 });
    }
}
