//! What was typed stays in this process: no core file of it is written.
//!
//! Others of the same person cannot look into it while it runs: macOS lets only root and debuggers a person
//! has admitted do that, so that nothing has to be asked for here.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Keeps the memory of this process out of core files; what it starts may lift that again for itself.
pub fn keep_memory() {
    let most = getrlimit(Resource::Core).maximum;
    // Less than one has is never refused.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum: most });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_crash_leaves_no_core_file() {
        let before = getrlimit(Resource::Core).maximum;
        keep_memory();
        let after = getrlimit(Resource::Core);
        assert_eq!((after.current, after.maximum), (Some(0), before));
    }
}
