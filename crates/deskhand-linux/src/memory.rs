//! Protects typed text in the memory of this process from core files and from other programs of the
//! user.

use rustix::process::{DumpableBehavior, set_dumpable_behavior};

/// Disables core dumps of this process. Programs it starts are not affected.
pub fn disable_core_dumps() {
    // The kernel rejects only unknown values, and every kernel knows this one.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}

#[cfg(test)]
mod tests {
    use rustix::process::dumpable_behavior;

    use super::*;

    #[test]
    fn a_crash_leaves_no_core_file() {
        disable_core_dumps();
        assert_eq!(dumpable_behavior().ok(), Some(DumpableBehavior::NotDumpable));
    }
}
