//! Limits the records of refused calls. The first refusals of a kind get one record each; later ones are
//! counted. Otherwise a caller with many refused calls could push all other records out of the log.

use std::{collections::HashMap, num::NonZeroU32};

use governor::{
    Quota, RateLimiter,
    clock::{Clock, MonotonicClock},
    middleware::NoOpMiddleware,
    state::keyed::HashMapStateStore,
};
use parking_lot::Mutex;

use crate::timing::REFUSAL_RECORD_INTERVAL;

/// The number of refusals of one kind that get separate records.
const MAX_SINGLE: NonZeroU32 = NonZeroU32::new(200).unwrap();

/// At most one in this many refusals of a kind may be missing from the log at any time.
const MAX_PENDING_RATIO: u64 = 4;

/// The number of kinds above which new ones are counted together.
const MAX_KINDS: usize = 256;

/// The caller name for these.
const OTHERS: &str = "others";

/// The caller and the code of a refusal.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub(super) struct RefusalKind {
    /// The name of the caller; empty for the owner.
    pub(super) caller: String,
    /// The error code.
    pub(super) code: String,
}

/// The way a refusal is recorded.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum RefusalRecord {
    /// A separate record, which also contains the number of earlier refusals without one.
    Single {
        /// The number of refusals without a separate record.
        left_out: u64,
    },
    /// A record that only contains a count.
    Count {
        /// The number of refusals without a separate record.
        left_out: u64,
    },
    /// A later record.
    Deferred,
}

type RefusalLimiter = RateLimiter<
    RefusalKind,
    HashMapStateStore<RefusalKind>,
    MonotonicClock,
    NoOpMiddleware<<MonotonicClock as Clock>::Instant>,
>;

#[derive(Debug, Default)]
struct Count {
    recorded: u64,
    pending: u64,
}

/// The refusals of this process.
#[derive(Debug)]
pub(super) struct Refusals {
    limiter: RefusalLimiter,
    counts: Mutex<HashMap<RefusalKind, Count>>,
}

impl Refusals {
    pub(super) fn new() -> Self {
        let default = Quota::per_second(MAX_SINGLE);
        let quota =
            Quota::with_period(REFUSAL_RECORD_INTERVAL).unwrap_or(default).allow_burst(MAX_SINGLE);
        let limiter = RateLimiter::new(quota, HashMapStateStore::default(), MonotonicClock);
        Self { limiter, counts: Mutex::default() }
    }

    /// Counts a refusal. Returns its kind and the way to record it.
    pub(super) fn count(&self, caller: &str, code: &str) -> (RefusalKind, RefusalRecord) {
        let mut counts = self.counts.lock();
        let mut kind = RefusalKind { caller: caller.to_owned(), code: code.to_owned() };
        if counts.len() >= MAX_KINDS && !counts.contains_key(&kind) {
            OTHERS.clone_into(&mut kind.caller);
        }
        let count = counts.entry(kind.clone()).or_default();
        count.pending += 1;
        let record = if self.limiter.check_key(&kind).is_ok() {
            RefusalRecord::Single { left_out: count.take() - 1 }
        } else if count.pending > count.recorded / MAX_PENDING_RATIO {
            RefusalRecord::Count { left_out: count.take() }
        } else {
            RefusalRecord::Deferred
        };
        (kind, record)
    }

    /// Marks refusals as pending again, because their record could not be written.
    pub(super) fn restore(&self, kind: RefusalKind, record: RefusalRecord) {
        let lost = match record {
            RefusalRecord::Single { left_out } => left_out + 1,
            RefusalRecord::Count { left_out } => left_out,
            RefusalRecord::Deferred => 0,
        };
        let mut counts = self.counts.lock();
        let count = counts.entry(kind).or_default();
        count.recorded = count.recorded.saturating_sub(lost);
        count.pending += lost;
    }

    /// Returns all pending counts and resets them.
    pub(super) fn take_pending(&self) -> Vec<(RefusalKind, u64)> {
        let mut counts = self.counts.lock();
        let pending = counts.iter_mut().filter(|(_, count)| count.pending > 0);
        pending.map(|(kind, count)| (kind.clone(), count.take())).collect()
    }
}

impl Count {
    fn take(&mut self) -> u64 {
        let pending = std::mem::take(&mut self.pending);
        self.recorded += pending;
        pending
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn many_refusals_need_few_records_that_add_up() {
        let refusals = Refusals::new();
        let (mut records, mut recorded) = (0_u64, 0);
        for one in 1..=100_000_u64 {
            match refusals.count("", "forbidden").1 {
                RefusalRecord::Single { left_out } => {
                    (records, recorded) = (records + 1, recorded + left_out + 1)
                }
                RefusalRecord::Count { left_out } => {
                    (records, recorded) = (records + 1, recorded + left_out)
                }
                RefusalRecord::Deferred => {}
            }
            assert!(
                recorded >= one - one / MAX_PENDING_RATIO,
                "only {recorded} of {one} are recorded"
            );
        }
        assert!(records < 300, "{records}");
        let rest: u64 = refusals.take_pending().into_iter().map(|(_, count)| count).sum();
        assert_eq!(recorded + rest, 100_000);
        assert!(refusals.take_pending().is_empty());
    }

    #[test]
    fn each_kind_has_separate_records_and_the_number_of_kinds_is_bounded() {
        let refusals = Refusals::new();
        for _ in 0..=MAX_SINGLE.get() {
            refusals.count("a", "forbidden");
        }
        let single = RefusalRecord::Single { left_out: 0 };
        assert_eq!(refusals.count("a", "halted").1, single);
        assert_eq!(refusals.count("b", "forbidden").1, single);
        for number in 0..2 * MAX_KINDS {
            refusals.count(&number.to_string(), "forbidden");
        }
        assert!(refusals.counts.lock().len() <= MAX_KINDS + 1);
        assert_eq!(refusals.count("late", "forbidden").0.caller, OTHERS);
    }

    #[test]
    fn an_unwritten_refusal_is_added_to_the_next_record() {
        let refusals = Refusals::new();
        let (kind, record) = refusals.count("", "forbidden");
        refusals.restore(kind, record);
        assert_eq!(refusals.count("", "forbidden").1, RefusalRecord::Single { left_out: 1 });
    }
}
