//! Measures the time that a call waits for apps, separately from its own work.

use std::{
    cell::Cell,
    time::{Duration, Instant},
};

/// The cost of a call.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Cost {
    /// The time the call waited for apps.
    pub waited: Duration,
    /// The number of tree reads.
    pub tree_reads: u32,
    /// The number of reads of single nodes.
    pub node_reads: u32,
    /// The time of everything except the tool itself and the wait for a rate limit.
    pub overhead: Duration,
}

impl Cost {
    /// Returns `true` if the call used a cached tree and only read single nodes again.
    pub fn used_cache(self) -> bool {
        self.tree_reads == 0 && self.node_reads > 0
    }
}

thread_local! {
    static COST: Cell<Cost> = const {
        Cell::new(Cost { waited: Duration::ZERO, tree_reads: 0, node_reads: 0, overhead: Duration::ZERO })
    };
}

/// Measures the overhead of a call.
pub(crate) struct CostTimer {
    start: Instant,
    excluded: Duration,
}

impl CostTimer {
    /// Starts to measure the call of the current thread.
    pub(crate) fn start() -> Self {
        COST.set(Cost::default());
        Self { start: Instant::now(), excluded: Duration::ZERO }
    }

    /// Runs work that is not overhead.
    pub(crate) fn exclude<T>(&mut self, work: impl FnOnce() -> T) -> T {
        let start = Instant::now();
        let result = work();
        self.excluded += start.elapsed();
        result
    }
}

impl Drop for CostTimer {
    fn drop(&mut self) {
        let overhead = self.start.elapsed().saturating_sub(self.excluded);
        COST.set(Cost { overhead, ..COST.get() });
    }
}

/// Returns the cost of the last call of the current thread.
pub(crate) fn last_cost() -> Cost {
    COST.get()
}

/// Runs a call to an app and measures how long the caller waits. Calls from other threads are not
/// counted, because the caller does not wait for them.
pub(crate) fn waiting<T>(call: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = call();
    let cost = COST.get();
    COST.set(Cost { waited: cost.waited + start.elapsed(), ..cost });
    result
}

/// Counts a read of a tree.
pub(crate) fn count_tree_read() {
    let cost = COST.get();
    COST.set(Cost { tree_reads: cost.tree_reads + 1, ..cost });
}

/// Counts a read of single nodes.
pub(crate) fn count_node_read() {
    let cost = COST.get();
    COST.set(Cost { node_reads: cost.node_reads + 1, ..cost });
}
