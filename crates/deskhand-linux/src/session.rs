//! Where things are kept that outlive one command but not the session.

use std::{
    fs, io,
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
};

use deskhand_platform::{Error, Result};

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

fn make_private(folder: &Path, uid: u32) -> io::Result<()> {
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        Ok(()) | Err(_) => {}
    }
    // A link planted by another user would be followed by everything that comes after.
    let found = fs::symlink_metadata(folder)?;
    if found.is_dir() && found.uid() == uid && found.mode() & 0o077 == 0 {
        Ok(())
    } else {
        Err(io::Error::other("it belongs to somebody else, or others may write to it"))
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_folder_others_can_reach_is_refused() -> io::Result<()> {
        let place = tempfile::tempdir()?;
        let uid = rustix::process::getuid().as_raw();
        let good = place.path().join("good");
        make_private(&good, uid)?;
        make_private(&good, uid)?;
        fs::set_permissions(&good, fs::Permissions::from_mode(0o777))?;
        assert!(make_private(&good, uid).is_err());
        symlink("/tmp", place.path().join("link"))?;
        assert!(make_private(&place.path().join("link"), uid).is_err());
        Ok(())
    }
}
