//! Whether a call may happen.

mod apps;
mod defaults;
mod error;
mod fence;
mod likeness;
mod mode;
mod pattern;

pub use apps::AppRules;
pub use error::RulesError;
pub(crate) use fence::fence;
pub use mode::{Confirm, Forbidden, Mode, Policy, Touch};
pub(crate) use pattern::Pattern;
