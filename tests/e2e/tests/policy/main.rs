//! Security policy: modes, app rules, consent, limits, halt, secrets and the audit log.

mod fence;
mod gate;
