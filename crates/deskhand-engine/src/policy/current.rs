//! The policy of a running engine.

use std::sync::{
    Arc,
    atomic::{AtomicUsize, Ordering},
};

use super::{Policy, SecurityMode};

/// The policy of a running engine. Its mode can become stricter, never less strict. Clones share
/// their state.
#[derive(Debug, Clone, Default)]
pub struct CurrentPolicy {
    configured: Policy,
    /// The position in [`SecurityMode::ALL`] of the strictest mode that was set at run time.
    strictest: Arc<AtomicUsize>,
}

impl CurrentPolicy {
    /// Returns the policy that applies now.
    pub fn get(&self) -> Policy {
        let strictest = SecurityMode::ALL.get(self.strictest.load(Ordering::Acquire));
        // The position always comes from this list.
        let strictest = strictest.copied().unwrap_or(SecurityMode::Sandboxed);
        Policy { mode: self.configured.mode_for(strictest), ..self.configured }
    }

    /// Makes the mode stricter. Returns `false` if it already is at least as strict.
    pub fn tighten(&self, mode: SecurityMode) -> bool {
        let position = SecurityMode::ALL.iter().position(|one| *one == mode);
        let position = position.unwrap_or(SecurityMode::ALL.len());
        let before = self.strictest.fetch_max(position, Ordering::AcqRel);
        position > before && mode > self.configured.mode
    }
}

impl From<Policy> for CurrentPolicy {
    fn from(configured: Policy) -> Self {
        Self { configured, strictest: Arc::default() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::policy::WriteAccess;

    #[test]
    fn the_mode_only_becomes_stricter() {
        let read_only = Policy {
            mode: SecurityMode::Safe,
            write_access: WriteAccess::ReadOnly,
            ..Policy::default()
        };
        let policy = CurrentPolicy::from(read_only);
        let other = policy.clone();
        assert!(!policy.tighten(SecurityMode::Normal) && !policy.tighten(SecurityMode::Safe));
        assert_eq!(policy.get(), read_only);
        assert!(policy.tighten(SecurityMode::Sandboxed));
        assert!(!policy.tighten(SecurityMode::Sandboxed) && !policy.tighten(SecurityMode::Normal));
        assert_eq!(other.get(), Policy { mode: SecurityMode::Sandboxed, ..read_only });
    }
}
