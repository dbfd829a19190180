//! Where the compiler for Apple's systems is kept: it outlives `cargo clean`, and serves every checkout.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::{Error, Result};

/// The variable that names another folder.
const VARIABLE: &str = "DESKHAND_CHECK_MACOS_CACHE";

/// The folder, made if need be.
pub(super) fn folder() -> Result<PathBuf> {
    let found = by(&|name| std::env::var_os(name));
    let folder = found.ok_or_else(|| Error::NoApple {
        why: format!("neither HOME nor {VARIABLE} says where a compiler can be kept"),
    })?;
    fs::create_dir_all(&folder).map_err(Error::file(&folder))?;
    Ok(folder)
}

fn by(variable: &dyn Fn(&str) -> Option<OsString>) -> Option<PathBuf> {
    // Compilers are started in other folders than this.
    let set = |name: &str| variable(name).map(PathBuf::from).filter(|path| path.is_absolute());
    set(VARIABLE).or_else(|| {
        let caches = set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")))?;
        Some(caches.join("deskhand-check-macos"))
    })
}

/// Makes a folder as a whole: who is interrupted leaves nothing that looks complete.
pub(super) fn whole(folder: &Path, make: impl FnOnce(&Path) -> Result<()>) -> Result<()> {
    let name = folder.file_name().unwrap_or_default().to_string_lossy();
    let draft = folder.with_file_name(format!(".{name}.{}", std::process::id()));
    // Of an earlier process that had the same number.
    let _ = fs::remove_dir_all(&draft);
    fs::create_dir_all(&draft).map_err(Error::file(&draft))?;
    let made = make(&draft).and_then(|()| match fs::rename(&draft, folder) {
        // Another process was faster, and what it made is as good.
        Err(_) if folder.is_dir() => Ok(()),
        other => other.map_err(Error::file(folder)),
    });
    // It is gone when all went well.
    let _ = fs::remove_dir_all(&draft);
    made
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_named_folder_counts_before_the_usual_one() {
        let of = |set: &[(&str, &str)]| {
            by(&|name| set.iter().find(|one| one.0 == name).map(|one| one.1.into()))
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
    fn what_fails_half_way_leaves_nothing() {
        let place = tempfile::tempdir().unwrap();
        let folder = place.path().join("std");
        let broken = whole(&folder, |draft| {
            fs::write(draft.join("half"), "").unwrap();
            Err(Error::NoApple { why: "test".to_owned() })
        });
        assert!(broken.is_err());
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 0);
        let write = |draft: &Path| fs::write(draft.join("all"), "").map_err(Error::file(draft));
        whole(&folder, write).unwrap();
        whole(&folder, write).unwrap();
        assert!(folder.join("all").is_file());
        assert_eq!(fs::read_dir(place.path()).unwrap().count(), 1);
    }
}
