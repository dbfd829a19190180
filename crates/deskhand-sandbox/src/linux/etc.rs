//! Copies the world-readable part of `/etc`, for a server that runs as root. A mount of `/etc` itself would
//! reveal secrets that are created later, or that are renamed over a hidden file.

use std::{
    fs, io,
    os::unix::fs::{MetadataExt, PermissionsExt, symlink},
    path::Path,
};

use rustix::fs::Mode;

/// Maximum size of a copied file. Larger ones are device databases, not settings.
const MAX_FILE_SIZE: u64 = 4 << 20;

/// Maximum folder depth.
const MAX_DEPTH: usize = 12;

/// Files and folders that are never copied, whatever their mode.
const SECRETS: &[&str] = &["machine-id", "ssh", "private", "sudoers.d", "shadow", "gshadow"];

/// Copies world-readable files and folders.
pub(super) fn copy(from: &Path, to: &Path) -> io::Result<()> {
    copy_recursively(from, to, MAX_DEPTH)
}

fn copy_recursively(from: &Path, to: &Path, depth: usize) -> io::Result<()> {
    for entry in fs::read_dir(from)?.flatten() {
        let (name, path) = (entry.file_name(), entry.path());
        // The entry may be gone by now.
        let Ok(meta) = entry.metadata() else { continue };
        let open = meta.mode() & Mode::ROTH.as_raw_mode() != 0;
        if SECRETS.iter().any(|secret| name == **secret) {
            continue;
        }
        let at = to.join(&name);
        if meta.is_symlink() {
            symlink(fs::read_link(&path)?, at)?;
        } else if meta.is_dir() && open && depth > 0 {
            fs::create_dir(&at)?;
            copy_recursively(&path, &at, depth - 1)?;
        } else if meta.is_file()
            && open
            && meta.len() <= MAX_FILE_SIZE
            && fs::copy(&path, &at).is_ok()
        {
            fs::set_permissions(&at, fs::Permissions::from_mode(meta.mode() & 0o777))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_world_readable_files_are_copied() -> io::Result<()> {
        let (from, to) = (tempfile::tempdir()?, tempfile::tempdir()?);
        let there = from.path();
        fs::create_dir_all(there.join("open/ssh"))?;
        fs::create_dir(there.join("closed"))?;
        for (name, mode) in
            [("passwd", 0o644), ("key", 0o600), ("open/a", 0o755), ("closed/b", 0o644)]
        {
            fs::write(there.join(name), name)?;
            fs::set_permissions(there.join(name), fs::Permissions::from_mode(mode))?;
        }
        fs::write(there.join("open/ssh/host"), "secret")?;
        fs::set_permissions(there.join("closed"), fs::Permissions::from_mode(0o700))?;
        symlink("open/a", there.join("link"))?;
        copy(there, to.path())?;
        let mut all: Vec<_> = fs::read_dir(to.path())?.flatten().map(|it| it.file_name()).collect();
        all.sort();
        assert_eq!(all, ["link", "open", "passwd"]);
        assert!(!to.path().join("open/ssh").exists());
        assert_eq!(fs::read_to_string(to.path().join("link"))?, "open/a");
        assert_eq!(fs::metadata(to.path().join("open/a"))?.mode() & 0o777, 0o755);
        Ok(())
    }
}
