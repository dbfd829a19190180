//! Files that outlive one command but not the login session.

use std::path::PathBuf;

use deskhand_platform::{Error, Result, create_private_dir};

use crate::session_env::SessionEnv;

/// Returns the folder for element refs, and creates it if needed. Only this user can read it.
///
/// # Errors
///
/// `Unexpected` if the folder cannot be created or belongs to another user.
pub fn refs_folder() -> Result<PathBuf> {
    refs_folder_of(&SessionEnv::of_process())
}

/// Returns the folder for element refs of a session, and creates it if needed.
///
/// # Errors
///
/// `Unexpected` if the folder cannot be created or belongs to another user.
pub fn refs_folder_of(env: &SessionEnv) -> Result<PathBuf> {
    let uid = rustix::process::getuid().as_raw();
    let runtime = env.var("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|dir| dir.is_dir());
    let folder = match runtime {
        Some(dir) => dir.join("deskhand-refs"),
        None => std::env::temp_dir().join(format!("deskhand-refs-{uid}")),
    };
    create_private_dir(&folder, uid).map_err(|error| Error::Unexpected {
        what: format!("the folder for refs, {}", folder.display()),
        why: error.to_string(),
    })?;
    Ok(folder)
}
