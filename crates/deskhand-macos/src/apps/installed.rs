//! Files: which one a word leads to.

use std::{
    fs,
    os::unix::fs::PermissionsExt,
    path::{Path, PathBuf},
};

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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::apps::bundle::tests::app;

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
    }
}
