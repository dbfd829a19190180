//! Files that outlive one command but not the login session.

use std::path::{Path, PathBuf};

use deskhand_platform::{Error, Result, create_private_dir};

/// The folder for refs, private to this user. Creates it if it does not exist.
///
/// # Errors
///
/// Fails if the folder cannot be created or belongs to another user.
pub fn refs_folder() -> Result<PathBuf> {
    // macOS gives every user a separate temporary folder.
    refs_folder_in(&std::env::temp_dir())
}

fn refs_folder_in(temporary: &Path) -> Result<PathBuf> {
    let uid = rustix::process::getuid().as_raw();
    let folder = temporary.join(format!("deskhand-refs-{uid}"));
    create_private_dir(&folder, uid).map_err(|error| Error::Unexpected {
        what: format!("the folder for refs, {}", folder.display()),
        why: error.to_string(),
    })?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_refs_folder_is_created_once() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = refs_folder_in(temporary.path()).unwrap();
        assert_eq!(refs_folder_in(temporary.path()).unwrap(), folder);
        assert!(refs_folder_in(&temporary.path().join("nowhere")).is_err());
        assert!(refs_folder().is_ok());
    }
}
