//! The security policy: which tools may be called, and which apps they may use.

mod apps;
mod current;
mod defaults;
mod error;
mod guard;
mod mode;
mod name_forms;
mod pattern;

pub use apps::AppRules;
pub use current::CurrentPolicy;
pub use error::RulesError;
pub(crate) use guard::guard_desktop;
pub use mode::{Confirmation, Policy, PolicyViolation, SecurityMode, WriteAccess};
pub(crate) use pattern::AppPattern;
