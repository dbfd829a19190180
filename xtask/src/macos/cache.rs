//! The cache of the compiler for Apple targets. It survives `cargo clean`, and all checkouts share it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// The environment variable that sets another folder.
const VARIABLE: &str = "DESKHAND_CHECK_MACOS_CACHE";

/// Returns the folder, and creates it if necessary.
pub(super) fn folder() -> Result<PathBuf> {
    let found = resolve(&|name| std::env::var_os(name));
    let folder = found.ok_or_else(|| Error::NoAppleCompiler {
        reason: format!("neither HOME nor {VARIABLE} is set, so there is no folder for a compiler"),
    })?;
    fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
    Ok(folder)
}

fn resolve(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    // Compilers run in other folders, so the path must be absolute.
    let set = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    set(VARIABLE).or_else(|| {
        let caches = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?;
        Some(caches.join("deskhand-check-macos"))
    })
}

/// Creates a folder atomically, so that an interrupted run leaves no incomplete folder.
pub(super) fn create_atomically(
    folder: &Path,
    fill: impl FnOnce(&Path) -> Result<()>,
) -> Result<()> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let draft = folder.with_file_name(format!(".{name}.{}", std::process::id()));
    // An earlier process with the same id may have left it.
    let _ = fs::remove_dir_all(&draft);
    fs::create_dir_all(&draft).map_err(Error::file(&draft))?;
    let result = fill(&draft).and_then(|()| match fs::rename(&draft, folder) {
        // Another process was faster; its result is the same.
        Err(_) if folder.is_dir() => Ok(()),
        other => other.map_err(Error::file(folder)),
    });
    // After a success it no longer exists.
    let _ = fs::remove_dir_all(&draft);
    result
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_variable_overrides_the_default() {
        let of = |set: &[(&str, &str)]| {
            resolve(&|name| set.iter().find(|one| one.0 == name).map(|one| one.1.into()))
        };
        let usual = Some(PathBuf::from("/me/.cache/deskhand-check-macos"));
        assert_eq!(of(&[("HOME", "/me")]), usual);
        assert_eq!(of(&[("HOME", "/me"), (VARIABLE, "relative")]), usual);
        assert_eq!(of(&[("HOME", "/me"), (VARIABLE, "/k")]), Some("/k".into()));
        let moved = of(&[("HOME", "/me"), ("XDG_CACHE_HOME", "/c")]);
        assert_eq!(moved, Some("/c/deskhand-check-macos".into()));
        assert_eq!(of(&[]), None);
    }

    #[test]
    fn a_failure_leaves_nothing() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("std");
        let broken = create_atomically(&folder, |draft| {
            fs::write(draft.join("half"), "").unwrap();
            Err(Error::NoAppleCompiler { reason: "test".to_owned() })
        });
        assert!(broken.is_err());
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
        let write = |draft: &Path| fs::write(draft.join("all"), "").map_err(Error::file(draft));
        create_atomically(&folder, write).unwrap();
        create_atomically(&folder, write).unwrap();
        assert!(folder.join("all").is_file());
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    }
}
