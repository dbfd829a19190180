//! The files of the repository: those that git tracks or would add.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::error::{Error, Result};
use crate::process;

/// Folders with build output, which are left out if there is no git repository.
const OUTPUT: [&str; 3] = [".git", "target", "out"];

/// All files of the repository, as paths relative to the root.
pub(crate) struct Files {
    pub(super) root: PathBuf,
    pub(super) paths: Vec<String>,
}

impl Files {
    pub(crate) fn list(root: &Path) -> Result<Self> {
        // A source archive has no .git.
        let mut paths = if root.join(".git").exists() { tracked(root)? } else { walked(root)? };
        paths.sort_unstable();
        paths.dedup();
        Ok(Self { root: root.to_path_buf(), paths })
    }

    /// Reads the files with one of these extensions.
    pub(crate) fn read(&self, extensions: &[&str]) -> Result<Vec<(&str, String)>> {
        let matching = self.paths.iter().filter(|path| {
            Path::new(path)
                .extension()
                .and_then(|it| it.to_str())
                .is_some_and(|it| extensions.contains(&it))
        });
        matching.map(|path| Ok((path.as_str(), self.text(path)?))).collect()
    }

    /// Reads all text files.
    pub(super) fn read_all(&self) -> Result<Vec<(&str, String)>> {
        let mut all = Vec::new();
        for path in &self.paths {
            let full = self.root.join(path);
            let bytes = fs::read(&full).map_err(Error::file(&full))?;
            if let Ok(text) = String::from_utf8(bytes) {
                all.push((path.as_str(), text));
            }
        }
        Ok(all)
    }

    pub(super) fn text(&self, path: &str) -> Result<String> {
        let full = self.root.join(path);
        let bytes = fs::read(&full).map_err(Error::file(&full))?;
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}

fn tracked(root: &Path) -> Result<Vec<String>> {
    // In containers, the checkout often belongs to another user.
    let listing = process::output(
        Command::new("git")
            .current_dir(root)
            .args(["-c", "safe.directory=*", "ls-files", "-z"])
            .args(["--cached", "--others", "--exclude-standard"]),
    )?;
    let paths = listing.split_terminator('\0').map(str::to_owned);
    // A deleted file is listed until the deletion is committed.
    Ok(paths.filter(|path| root.join(path).is_file()).collect())
}

fn walked(root: &Path) -> Result<Vec<String>> {
    let mut found = Vec::new();
    let mut folders = vec![String::new()];
    while let Some(folder) = folders.pop() {
        let full = root.join(&folder);
        for entry in fs::read_dir(&full).map_err(Error::file(&full))? {
            let entry = entry.map_err(Error::file(&full))?;
            let name = entry.file_name().to_string_lossy().into_owned();
            let path = if folder.is_empty() { name } else { format!("{folder}/{name}") };
            let kind = entry.file_type().map_err(Error::file(&full))?;
            if kind.is_file() {
                found.push(path);
            } else if kind.is_dir() && !OUTPUT.contains(&path.as_str()) {
                folders.push(path);
            }
        }
    }
    Ok(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> tempfile::TempDir {
        let folder = tempfile::tempdir().unwrap();
        fs::create_dir_all(folder.path().join("src")).unwrap();
        fs::create_dir_all(folder.path().join("target/debug")).unwrap();
        fs::write(folder.path().join("src/lib.rs"), "fn a() {}\n").unwrap();
        fs::write(folder.path().join("target/debug/made.rs"), "fn b() {}\n").unwrap();
        fs::write(folder.path().join(".gitignore"), "/target\n").unwrap();
        folder
    }

    #[test]
    fn build_output_of_an_archive_is_left_out() {
        let folder = sample();
        assert_eq!(Files::list(folder.path()).unwrap().paths, [".gitignore", "src/lib.rs"]);
    }

    #[test]
    fn new_files_are_listed_and_deleted_ones_are_not() {
        let folder = sample();
        let git = |words: &[&str]| {
            process::output(Command::new("git").current_dir(folder.path()).args(words)).unwrap()
        };
        git(&["init", "--quiet"]);
        fs::write(folder.path().join("gone.rs"), "").unwrap();
        git(&["add", "gone.rs"]);
        fs::remove_file(folder.path().join("gone.rs")).unwrap();
        assert_eq!(Files::list(folder.path()).unwrap().paths, [".gitignore", "src/lib.rs"]);
    }

    #[test]
    fn files_are_selected_by_extension() {
        let folder = sample();
        let files = Files::list(folder.path()).unwrap();
        assert_eq!(files.read(&["rs"]).unwrap(), [("src/lib.rs", "fn a() {}\n".to_owned())]);
    }
}
