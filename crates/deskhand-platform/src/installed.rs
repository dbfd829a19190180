//! Whether anybody but who administers this machine can have put a file where it is.

use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use crate::{FileOf, Sure};

/// Where people keep what is theirs, on whichever system.
const HOMES: [&str; 5] = ["/Users", "/home", "/root", "/var/root", "/private/var/root"];

/// Whether only who administers this machine can have put a file where it is.
pub fn is_installed(file: &Path) -> bool {
    let Ok(real) = fs::canonicalize(file) else { return false };
    let own = |path: &Path| {
        let home = std::env::var_os("HOME").filter(|home| home.len() > 1).map(PathBuf::from);
        let mut homes = HOMES.into_iter().map(PathBuf::from).chain(home);
        homes.any(|home| path.starts_with(home))
    };
    let kept = |path: &Path| {
        let meta = fs::symlink_metadata(path);
        // A link has no rights of its own: those of its folder count.
        meta.is_ok_and(|meta| meta.uid() == 0 && (meta.is_symlink() || meta.mode() & 0o022 == 0))
    };
    let both = [file, &real];
    both.iter().all(|path| path.is_absolute() && !own(path) && path.ancestors().all(kept))
}

impl FileOf {
    /// A file as it is now.
    pub fn now(path: &Path, sure: Sure) -> Self {
        let meta = fs::metadata(path).ok();
        Self {
            path: path.to_string_lossy().into_owned(),
            number: meta.map(|meta| (meta.dev(), meta.ino())),
            sure: sure == Sure::Yes,
            installed: is_installed(path),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_anybody_can_write_is_not_installed() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("ls");
        std::os::unix::fs::symlink("/usr/bin/ls", &file).unwrap();
        assert!(is_installed(Path::new("/usr/bin/ls")));
        assert!(!is_installed(&file), "a link of anybody's leads there");
        fs::write(place.path().join("own"), "").unwrap();
        assert!(!is_installed(&place.path().join("own")));
        assert!(!is_installed(&place.path().join("none")));
    }

    #[test]
    fn a_file_is_told_as_it_is() {
        let file = FileOf::now(Path::new("/usr/bin/ls"), Sure::No);
        assert!(file.number.is_some() && !file.sure && file.installed);
        let none = FileOf::now(Path::new("/no/such/file"), Sure::Yes);
        assert!(none.number.is_none() && none.sure && !none.installed);
    }
}
