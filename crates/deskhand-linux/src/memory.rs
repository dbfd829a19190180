//! What was typed stays in this process: no core file of it is written, and no other program of the
//! same person looks into it.

use rustix::process::{DumpableBehavior, set_dumpable_behavior};

/// Keeps the memory of this process out of core files; the programs it starts are not concerned.
pub fn keep_memory() {
    // Linux refuses only values it does not know, and this one is as old as the call.
    let _ = set_dumpable_behavior(DumpableBehavior::NotDumpable);
}

#[cfg(test)]
mod tests {
    use rustix::process::dumpable_behavior;

    use super::*;

    #[test]
    fn a_crash_leaves_no_core_file() {
        keep_memory();
        assert_eq!(dumpable_behavior().ok(), Some(DumpableBehavior::NotDumpable));
    }
}
