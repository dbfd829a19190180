//! Permissions that the user must grant to this program.

use deskhand_model::Advice;

use crate::{Deadline, Result};

/// Lists the permissions that the user must grant, and opens the settings for them.
pub trait Permissions: Send + Sync {
    /// Lists every required permission, granted or not.
    fn list(&self, deadline: Deadline) -> Result<Vec<Permission>>;

    /// Opens the page of the system settings on which a permission is granted.
    ///
    /// # Errors
    ///
    /// `Unsupported` if no permission has this name or the settings do not open.
    fn open_settings(&self, name: &str, deadline: Deadline) -> Result<()>;
}

/// A permission of the system that only the user can grant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Permission {
    /// Its name in the system settings.
    pub name: String,
    /// It is granted now.
    pub granted: bool,
    /// The features that need it.
    pub needed_for: String,
    /// The program to grant it to: often the one that started this program, such as a terminal.
    pub program: String,
    /// The steps for the user.
    pub instructions: Advice,
}
