//! What a person must allow before this program may see and use apps.

use crate::{Deadline, Result};

/// Tells what a person must allow, and leads them to where they can.
pub trait Permissions: Send + Sync {
    /// Everything that must be allowed, and whether it is.
    fn all(&self, by: Deadline) -> Result<Vec<Permission>>;

    /// Opens the place in the system's settings where one of them is allowed, by its name.
    ///
    /// # Errors
    ///
    /// `Unsupported` when none goes by that name or the settings do not open.
    fn open_settings(&self, name: &str, by: Deadline) -> Result<()>;
}

/// Something the system does only for programs a person has allowed it to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permission {
    /// What the system's settings call it.
    pub name: String,
    /// Whether it is allowed now.
    pub granted: bool,
    /// What it is needed for.
    pub needed_for: String,
    /// The program to allow: not always this one, but the one it was started from.
    pub who: String,
    /// What the person has to do, step by step.
    pub advice: String,
}
