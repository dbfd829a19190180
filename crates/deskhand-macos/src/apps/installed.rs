//! Resolves program names to files.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

use super::bundle::AppBundle;

/// The executable that a path, an app or a name on the search path leads to, with links resolved.
pub(super) fn resolve_program(word: &Path) -> Option<PathBuf> {
    if word.components().count() > 1 {
        let real = fs::canonicalize(word).ok()?;
        return if real.is_dir() { AppBundle::read(&real, &[])?.executable } else { Some(real) };
    }
    let path = std::env::var_os("PATH")?;
    let mut files = std::env::split_paths(&path).map(|folder| folder.join(word));
    let file = files.find(|file| is_executable(file))?;
    fs::canonicalize(file).ok()
}

/// Returns `true` if a file is executable.
pub(super) fn is_executable(path: &Path) -> bool {
    path.metadata().is_ok_and(|meta| meta.is_file() && meta.permissions().mode() & 0o111 != 0)
}

/// The last component of a path.
pub(super) fn file_name(path: &Path) -> Option<String> {
    path.file_name()?.to_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apps::bundle::tests::app;

    #[test]
    fn a_name_resolves_to_a_file_without_links() {
        let real = fs::canonicalize("/usr/bin/ls").unwrap();
        assert_eq!(resolve_program(Path::new("ls")), Some(real.clone()));
        assert_eq!(resolve_program(Path::new("/bin/ls")), Some(real));
        assert_eq!(resolve_program(Path::new("no-such-program-anywhere")), None);
        let folder = tempfile::tempdir().unwrap();
        let app = app(&fs::canonicalize(folder.path()).unwrap(), "App", "x.y", &[]);
        assert_eq!(resolve_program(&app), Some(app.join("Contents/MacOS/run")));
        assert_eq!(resolve_program(folder.path()), None);
    }
}
