//! The files that programs run, and who can have put them there.

use std::{
    fs,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

/// The folders in which users keep their own files, on all supported systems.
const HOMES: [&str; 5] = ["/Users", "/home", "/root", "/var/root", "/private/var/root"];

/// A file that a program runs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ProgramFile {
    /// Its path with all symbolic links resolved.
    pub path: String,
    /// Its device and inode numbers, which hard links share.
    pub file_id: Option<(u64, u64)>,
    /// The program certainly runs this file; `false` if that is only a claim.
    pub verified: bool,
    /// Only an administrator can have put the file there.
    pub admin_owned: bool,
}

/// Tells if it is verified that a program runs a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// The system confirms it.
    Verified,
    /// The program or its command line claims it.
    Claimed,
}

impl ProgramFile {
    /// Reads the current metadata of a file.
    pub fn inspect(path: &Path, certainty: Certainty) -> Self {
        let meta = fs::metadata(path).ok();
        Self {
            path: path.to_string_lossy().into_owned(),
            file_id: meta.map(|meta| (meta.dev(), meta.ino())),
            verified: certainty == Certainty::Verified,
            admin_owned: is_admin_owned(path),
        }
    }
}

/// Returns `true` if only an administrator can have put a file where it is.
pub fn is_admin_owned(file: &Path) -> bool {
    let Ok(real) = fs::canonicalize(file) else { return false };
    let in_home = |path: &Path| {
        let home = std::env::var_os("HOME").filter(|home| home.len() > 1).map(PathBuf::from);
        let mut homes = HOMES.into_iter().map(PathBuf::from).chain(home);
        homes.any(|home| path.starts_with(home))
    };
    let root_only = |path: &Path| {
        let meta = fs::symlink_metadata(path);
        // A symbolic link has no mode bits: the permissions of its folder decide.
        meta.is_ok_and(|meta| meta.uid() == 0 && (meta.is_symlink() || meta.mode() & 0o022 == 0))
    };
    let both = [file, &real];
    both.iter().all(|path| path.is_absolute() && !in_home(path) && path.ancestors().all(root_only))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_that_a_user_can_write_is_not_admin_owned() {
        let dir = tempfile::tempdir().unwrap();
        let link = dir.path().join("ls");
        std::os::unix::fs::symlink("/usr/bin/ls", &link).unwrap();
        assert!(is_admin_owned(Path::new("/usr/bin/ls")));
        assert!(!is_admin_owned(&link), "any user can create this link");
        fs::write(dir.path().join("own"), "").unwrap();
        assert!(!is_admin_owned(&dir.path().join("own")));
        assert!(!is_admin_owned(&dir.path().join("none")));
    }

    #[test]
    fn inspect_reports_existing_and_missing_files() {
        let file = ProgramFile::inspect(Path::new("/usr/bin/ls"), Certainty::Claimed);
        assert!(file.file_id.is_some() && !file.verified && file.admin_owned);
        let none = ProgramFile::inspect(Path::new("/no/such/file"), Certainty::Verified);
        assert!(none.file_id.is_none() && none.verified && !none.admin_owned);
    }
}
