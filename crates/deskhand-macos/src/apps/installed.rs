//! Files: which one a word leads to, and whether anybody but root can have put it there.

use std::{
    fs,
    os::unix::fs::{MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
};

use deskhand_platform::{FileOf, Sure};

use super::bundle::Bundle;

/// The file a path, an app, or a program on the search path leads to without links.
pub(super) fn program_of(word: &Path) -> Option<PathBuf> {
    if word.components().count() > 1 {
        let real = fs::canonicalize(word).ok()?;
        return if real.is_dir() { Bundle::read(&real, &[])?.program } else { Some(real) };
    }
    let path = std::env::var_os("PATH")?;
    let mut files = std::env::split_paths(&path).map(|folder| folder.join(word));
    let file = files.find(|file| is_program(file))?;
    fs::canonicalize(file).ok()
}

/// Whether a file can be run.
pub(super) fn is_program(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// The name of a program file.
pub(super) fn base(program: &Path) -> Option<String> {
    program.file_name()?.to_str().map(str::to_owned)
}

/// A file as it is now.
pub(super) fn file_of(path: &Path, sure: Sure) -> FileOf {
    let meta = fs::metadata(path).ok();
    FileOf {
        path: path.to_string_lossy().into_owned(),
        number: meta.map(|meta| (meta.dev(), meta.ino())),
        sure: sure == Sure::Yes,
        installed: is_installed(path),
    }
}

/// Whether only root can have put a file where it is. The folder `/Applications` is open to every program
/// of an administrator, who is not asked for a password there: what lies in it does not count.
pub(super) fn is_installed(file: &Path) -> bool {
    let Ok(real) = fs::canonicalize(file) else { return false };
    let own = |path: &Path| {
        let home = std::env::var_os("HOME").filter(|home| home.len() > 1).map(PathBuf::from);
        let homes = ["/Users", "/home", "/root", "/var/root", "/private/var/root"];
        let homes = homes.into_iter().map(PathBuf::from).chain(home);
        homes.into_iter().any(|home| path.starts_with(home))
    };
    let kept = |path: &Path| {
        let meta = fs::symlink_metadata(path);
        // A link has no rights of its own: those of its folder count.
        meta.is_ok_and(|meta| meta.uid() == 0 && (meta.is_symlink() || meta.mode() & 0o022 == 0))
    };
    let both = [file, &real];
    both.iter().all(|path| path.is_absolute() && !own(path) && path.ancestors().all(kept))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apps::bundle::tests::app;

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
    fn a_word_leads_to_a_file_without_links() {
        let real = fs::canonicalize("/usr/bin/ls").unwrap();
        assert_eq!(program_of(Path::new("ls")), Some(real.clone()));
        assert_eq!(program_of(Path::new("/bin/ls")), Some(real));
        assert_eq!(program_of(Path::new("no-such-program-anywhere")), None);
        let place = tempfile::tempdir().unwrap();
        let app = app(&fs::canonicalize(place.path()).unwrap(), "App", "x.y", &[]);
        assert_eq!(program_of(&app), Some(app.join("Contents/MacOS/run")));
        assert_eq!(program_of(place.path()), None);
        let file = file_of(Path::new("/usr/bin/ls"), Sure::No);
        assert!(file.number.is_some() && !file.sure && file.installed);
    }
}
