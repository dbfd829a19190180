//! A settings file on disk. It is replaced atomically, and the old version is kept as a backup.

use std::{
    fs,
    io::{self, Write as _},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use super::{Error, NewContent};

/// Number of backups to keep.
const MAX_BACKUPS: usize = 5;
/// Separates the name of a file from the time of its backup.
const BACKUP_INFIX: &str = ".deskhand-backup-";
/// The mode of a new file. Settings may contain API keys.
const PRIVATE_MODE: u32 = 0o600;
const BOM: &str = "\u{feff}";

/// A settings file as it was read.
#[derive(Debug)]
pub(super) struct SettingsFile {
    /// The path as given.
    file: PathBuf,
    /// The path with all links resolved.
    resolved: PathBuf,
    /// The content, or `None` if the file does not exist.
    bytes: Option<String>,
}

impl SettingsFile {
    /// Reads a file that may not exist.
    pub(super) fn read(file: &Path) -> Result<Self, Error> {
        let unreadable = |source| Error::Unreadable { file: file.to_owned(), source };
        let resolved = match fs::canonicalize(file) {
            Ok(resolved) => resolved,
            Err(error) if is_not_found(&error) && file.is_symlink() => {
                return Err(Error::BrokenLink { file: file.to_owned() });
            }
            Err(error) if is_not_found(&error) => {
                return Ok(Self { file: file.to_owned(), resolved: file.to_owned(), bytes: None });
            }
            Err(error) => return Err(unreadable(error)),
        };
        let bytes = fs::read_to_string(&resolved).map_err(unreadable)?;
        Ok(Self { file: file.to_owned(), resolved, bytes: Some(bytes) })
    }

    /// Returns the text without its byte order mark.
    pub(super) fn text(&self) -> Option<&str> {
        let bytes = self.bytes.as_deref()?;
        Some(bytes.strip_prefix(BOM).unwrap_or(bytes))
    }

    /// Returns the backups, newest first.
    pub(super) fn backups(&self) -> Vec<PathBuf> {
        let Some((folder, name)) = self.resolved.parent().zip(self.resolved.file_name()) else {
            return Vec::new();
        };
        let start = format!("{}{BACKUP_INFIX}", name.to_string_lossy());
        let is_backup = |file: &PathBuf| {
            file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&start))
        };
        // A folder that cannot be listed has no usable backups.
        let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        let mut backups: Vec<PathBuf> =
            entries.map(|entry| entry.path()).filter(is_backup).collect();
        backups.sort();
        backups.reverse();
        backups
    }

    /// Replaces the file. Returns the path of the backup.
    pub(super) fn write(&self, after: &NewContent) -> Result<Option<PathBuf>, Error> {
        let unwritable = |source| Error::Unwritable { file: self.file.clone(), source };
        match after {
            NewContent::NoFile => {
                self.check_unchanged()?;
                fs::remove_file(&self.resolved).map_err(unwritable)?;
                Ok(None)
            }
            NewContent::Text(text) => {
                let written = self.write_temporary(text).map_err(unwritable)?;
                self.check_unchanged()?;
                let backup = self.backup().map_err(unwritable)?;
                written.persist(&self.resolved).map_err(|error| unwritable(error.error))?;
                self.remove_old_backups();
                Ok(backup)
            }
        }
    }

    /// Writes the new content to a temporary file next to the old one, and syncs it.
    fn write_temporary(&self, text: &str) -> io::Result<tempfile::NamedTempFile> {
        let folder = self.resolved.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(folder)?;
        let mut file = tempfile::Builder::new().prefix(".deskhand-").tempfile_in(folder)?;
        let has_bom = self.bytes.as_deref().is_some_and(|bytes| bytes.starts_with(BOM));
        if has_bom {
            file.write_all(BOM.as_bytes())?;
        }
        file.write_all(text.as_bytes())?;
        let permissions = match &self.bytes {
            Some(_) => fs::metadata(&self.resolved)?.permissions(),
            None => fs::Permissions::from_mode(PRIVATE_MODE),
        };
        file.as_file().set_permissions(permissions)?;
        file.as_file().sync_all()?;
        Ok(file)
    }

    /// Creates a backup, if the file exists.
    fn backup(&self) -> io::Result<Option<PathBuf>> {
        if self.bytes.is_none() {
            return Ok(None);
        }
        let time = chrono::Utc::now().format("%Y%m%dT%H%M%S%3fZ");
        let mut name = self.resolved.as_os_str().to_owned();
        name.push(format!("{BACKUP_INFIX}{time}"));
        let copy = PathBuf::from(name);
        fs::copy(&self.resolved, &copy)?;
        Ok(Some(copy))
    }

    /// Returns an error if another program has changed the file since it was read.
    fn check_unchanged(&self) -> Result<(), Error> {
        let now = match fs::read(&self.resolved) {
            Ok(now) => Some(now),
            Err(error) if is_not_found(&error) => None,
            // A file that can no longer be read has changed.
            Err(_) => return Err(Error::Changed { file: self.file.clone() }),
        };
        let same = now.as_deref() == self.bytes.as_deref().map(str::as_bytes);
        if same { Ok(()) } else { Err(Error::Changed { file: self.file.clone() }) }
    }

    fn remove_old_backups(&self) {
        for copy in self.backups().into_iter().skip(MAX_BACKUPS) {
            // An extra backup does no harm.
            let _ = fs::remove_file(copy);
        }
    }
}

fn is_not_found(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concurrent_changes_are_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mcp.json");
        let settings = SettingsFile::read(&file).unwrap();
        // Even if the new content is not text.
        fs::write(&file, [0xff, 0xfe, 0x00]).unwrap();
        let refused = settings.write(&NewContent::Text("{}".to_owned()));
        assert!(matches!(refused, Err(Error::Changed { .. })), "{refused:?}");
        assert_eq!(fs::read(&file).unwrap(), [0xff, 0xfe, 0x00]);
    }
}
