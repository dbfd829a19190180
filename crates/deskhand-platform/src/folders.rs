//! The folders of settings, audit log and approvals. They are the same for every desktop of one user.
//! The default locations come from the platform backends.

use std::{
    ffi::OsString,
    fs, io,
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

/// The folders of one user. This type does not create them.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folders {
    /// Files that the user edits: settings, policy rules, approvals.
    pub config: PathBuf,
    /// Permanent data: the audit log.
    pub data: PathBuf,
    /// State that survives restarts: recorded approvals.
    pub state: PathBuf,
    /// Data that can be deleted: logs, long outputs.
    pub cache: PathBuf,
    /// Data that ends with the login session: the halt.
    pub runtime: PathBuf,
}

impl Folders {
    /// The environment variables that override the default locations.
    pub const VARIABLES: [&str; 5] = [
        "DESKHAND_CONFIG_DIR",
        "DESKHAND_DATA_DIR",
        "DESKHAND_STATE_DIR",
        "DESKHAND_CACHE_DIR",
        "DESKHAND_RUNTIME_DIR",
    ];

    /// Applies the overrides from the environment.
    #[must_use]
    pub fn with_overrides(self, variable: &dyn Fn(&str) -> Option<OsString>) -> Self {
        let [config, data, state, cache, runtime] = Self::VARIABLES;
        let override_or = |name: &str, default: PathBuf| {
            // A relative path would differ between processes.
            let path = variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
            path.unwrap_or(default)
        };
        Self {
            config: override_or(config, self.config),
            data: override_or(data, self.data),
            state: override_or(state, self.state),
            cache: override_or(cache, self.cache),
            runtime: override_or(runtime, self.runtime),
        }
    }

    /// Returns the environment variables that make child processes use the same folders.
    pub fn variables(&self) -> [(&'static str, &Path); 5] {
        let [config, data, state, cache, runtime] = Self::VARIABLES;
        [
            (config, &self.config),
            (data, &self.data),
            (state, &self.state),
            (cache, &self.cache),
            (runtime, &self.runtime),
        ]
    }
}

/// Creates a folder and the missing folders above it; only this user can access the new ones.
///
/// Existing folders stay as they are.
///
/// # Errors
///
/// If a folder cannot be created.
pub fn create_private_dirs(folder: &Path) -> io::Result<()> {
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)
}

/// Creates a folder that only this user can access, unless it already exists.
///
/// # Errors
///
/// If it cannot be created, another user owns it, or its mode gives access to others.
pub fn create_private_dir(folder: &Path, uid: u32) -> io::Result<()> {
    match fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != io::ErrorKind::AlreadyExists => return Err(error),
        Ok(()) | Err(_) => {}
    }
    if is_own_dir(folder, uid, 0o077)? {
        Ok(())
    } else {
        Err(io::Error::other(
            "the folder belongs to another user, or other users have access to it",
        ))
    }
}

/// Returns `true` if a path is a folder of this user whose mode has none of the `forbidden` bits.
///
/// A symbolic link is no folder: another user may have created it, and later file operations would
/// follow it.
///
/// # Errors
///
/// If the path cannot be read.
pub fn is_own_dir(path: &Path, uid: u32, forbidden: u32) -> io::Result<bool> {
    let found = fs::symlink_metadata(path)?;
    Ok(found.is_dir() && found.uid() == uid && found.mode() & forbidden == 0)
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::{PermissionsExt, symlink};

    use super::*;

    #[test]
    fn a_folder_others_can_reach_is_refused() -> io::Result<()> {
        let dir = tempfile::tempdir()?;
        let uid = dir.path().metadata()?.uid();
        let good = dir.path().join("good");
        create_private_dir(&good, uid)?;
        create_private_dir(&good, uid)?;
        fs::set_permissions(&good, fs::Permissions::from_mode(0o777))?;
        assert!(create_private_dir(&good, uid).is_err());
        symlink("/tmp", dir.path().join("link"))?;
        assert!(create_private_dir(&dir.path().join("link"), uid).is_err());
        Ok(())
    }

    fn below(root: &str) -> Folders {
        let folder = |name: &str| Path::new(root).join(name);
        Folders {
            config: folder("config"),
            data: folder("data"),
            state: folder("state"),
            cache: folder("cache"),
            runtime: folder("runtime"),
        }
    }

    #[test]
    fn variables_pass_the_folders_on_to_child_processes() {
        let first = below("/one");
        let inherited = first.variables().map(|(name, path)| (name, path.as_os_str().to_owned()));
        let variable = |name: &str| inherited.iter().find(|it| it.0 == name).map(|it| it.1.clone());
        assert_eq!(below("/two").with_overrides(&variable), first);
    }

    #[test]
    fn a_relative_path_is_ignored() {
        assert_eq!(below("/one").with_overrides(&|_| Some("here".into())), below("/one"));
        assert_eq!(below("/one").with_overrides(&|_| None), below("/one"));
    }
}
