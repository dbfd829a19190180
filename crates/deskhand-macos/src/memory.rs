//! Keeps typed text out of core files.
//!
//! Other processes of the same user cannot read this process's memory: macOS allows that only to root and to
//! debuggers that the user has authorized. So core files are the only thing to disable.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Disables core files for this process. Child processes can raise the limit again.
pub fn disable_core_dumps() {
    let maximum = getrlimit(Resource::Core).maximum;
    // Lowering the soft limit always succeeds.
    let _ = setrlimit(Resource::Core, Rlimit { current: Some(0), maximum });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_core_limit_is_zero() {
        let before = getrlimit(Resource::Core).maximum;
        disable_core_dumps();
        let after = getrlimit(Resource::Core);
        assert_eq!((after.current, after.maximum), (Some(0), before));
    }
}
