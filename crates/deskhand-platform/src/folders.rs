//! The folders a person's settings, records and approvals are in, whichever desktop a program of
//! theirs runs on. Where they usually are is each platform's to say.

use std::{
    ffi::OsString,
    fs, io,
    os::unix::fs::{DirBuilderExt, MetadataExt},
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

/// The folders of one person. None of them is made here.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Folders {
    /// What the person writes: settings, rules, approvals by hand.
    pub config: PathBuf,
    /// What is kept for the person: the log of calls.
    pub data: PathBuf,
    /// What is remembered: approvals.
    pub state: PathBuf,
    /// What can be thrown away: logs, long outputs.
    pub cache: PathBuf,
    /// What ends with the machine: the halt.
    pub runtime: PathBuf,
}

impl Folders {
    /// The variables that name them where the usual ones are not meant.
    pub const VARIABLES: [&str; 5] = [
        "DESKHAND_CONFIG_DIR",
        "DESKHAND_DATA_DIR",
        "DESKHAND_STATE_DIR",
        "DESKHAND_CACHE_DIR",
        "DESKHAND_RUNTIME_DIR",
    ];

    /// These, except where the variables name others.
    #[must_use]
    pub fn named(self, variable: &dyn Fn(&str) -> Option<OsString>) -> Self {
        let [config, data, state, cache, runtime] = Self::VARIABLES;
        let or = |name: &str, usual: PathBuf| {
            // A relative path would be another one for each process.
            let named = variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
            named.unwrap_or(usual)
        };
        Self {
            config: or(config, self.config),
            data: or(data, self.data),
            state: or(state, self.state),
            cache: or(cache, self.cache),
            runtime: or(runtime, self.runtime),
        }
    }

    /// The variables that lead other processes to them.
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

/// Makes a folder that only this user may look into, unless it is there already.
///
/// # Errors
///
/// When it cannot be made, or somebody else owns it or may write to it.
pub fn make_private(folder: &Path, uid: u32) -> io::Result<()> {
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
        let uid = place.path().metadata()?.uid();
        let good = place.path().join("good");
        make_private(&good, uid)?;
        make_private(&good, uid)?;
        fs::set_permissions(&good, fs::Permissions::from_mode(0o777))?;
        assert!(make_private(&good, uid).is_err());
        symlink("/tmp", place.path().join("link"))?;
        assert!(make_private(&place.path().join("link"), uid).is_err());
        Ok(())
    }

    fn at(place: &str) -> Folders {
        let folder = |name: &str| Path::new(place).join(name);
        Folders {
            config: folder("config"),
            data: folder("data"),
            state: folder("state"),
            cache: folder("cache"),
            runtime: folder("runtime"),
        }
    }

    #[test]
    fn variables_lead_to_the_same_folders_from_anywhere() {
        let first = at("/one");
        let handed = first.variables().map(|(name, path)| (name, path.as_os_str().to_owned()));
        let variable = |name: &str| handed.iter().find(|it| it.0 == name).map(|it| it.1.clone());
        assert_eq!(at("/two").named(&variable), first);
    }

    #[test]
    fn a_relative_path_names_nothing() {
        assert_eq!(at("/one").named(&|_| Some("here".into())), at("/one"));
        assert_eq!(at("/one").named(&|_| None), at("/one"));
    }
}
