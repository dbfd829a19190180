//! Where things are kept that outlive one command but not the session.

use std::path::PathBuf;

use deskhand_platform::{Error, Result, make_private};

/// The folder refs are kept in: private to this user, made if need be.
///
/// # Errors
///
/// When it cannot be made, or somebody else owns it.
pub fn refs_folder() -> Result<PathBuf> {
    let uid = rustix::process::getuid().as_raw();
    let runtime = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from).filter(|dir| dir.is_dir());
    let folder = match runtime {
        Some(dir) => dir.join("deskhand-refs"),
        None => std::env::temp_dir().join(format!("deskhand-refs-{uid}")),
    };
    make_private(&folder, uid).map_err(|error| Error::Unexpected {
        what: format!("the folder for refs, {}", folder.display()),
        why: error.to_string(),
    })?;
    Ok(folder)
}
