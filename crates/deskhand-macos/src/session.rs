//! Where things are kept that outlive one command but not the session.

use std::path::{Path, PathBuf};

use deskhand_platform::{Error, Result, make_private};

/// The folder refs are kept in: private to this user, made if need be.
///
/// # Errors
///
/// When it cannot be made, or somebody else owns it.
pub fn refs_folder() -> Result<PathBuf> {
    // The system gives every person a temporary folder of their own.
    refs_in(&std::env::temp_dir())
}

fn refs_in(temporary: &Path) -> Result<PathBuf> {
    let uid = rustix::process::getuid().as_raw();
    let folder = temporary.join(format!("deskhand-refs-{uid}"));
    make_private(&folder, uid).map_err(|error| Error::Unexpected {
        what: format!("the folder for refs, {}", folder.display()),
        why: error.to_string(),
    })?;
    Ok(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refs_are_kept_where_nobody_else_looks() {
        let place = tempfile::tempdir().unwrap();
        let folder = refs_in(place.path()).unwrap();
        assert_eq!(refs_in(place.path()).unwrap(), folder);
        assert!(refs_in(&place.path().join("nowhere")).is_err());
        assert!(refs_folder().is_ok());
    }
}
