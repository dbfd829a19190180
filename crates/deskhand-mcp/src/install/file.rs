//! A settings file on disk. It is replaced atomically, and the old version is kept as a backup.

use std::{
    fs,
    io::{self, Write as _},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use super::{After, Error};

/// Number of backups to keep.
const KEPT: usize = 5;
/// Separates the name of a file from the time of its backup.
const MARK: &str = ".deskhand-backup-";
/// The mode of a new file. Settings may contain API keys.
const PRIVATE: u32 = 0o600;
const BOM: &str = "\u{feff}";

/// A settings file as it was read.
#[derive(Debug)]
pub(super) struct Settings {
    /// The path as given.
    file: PathBuf,
    /// The path with all links resolved.
    real: PathBuf,
    /// The content, or `None` if the file does not exist.
    bytes: Option<String>,
}

impl Settings {
    /// Reads a file that may not exist.
    pub(super) fn read(file: &Path) -> Result<Self, Error> {
        let unreadable = |source| Error::Unreadable { file: file.to_owned(), source };
        let real = match fs::canonicalize(file) {
            Ok(real) => real,
            Err(error) if is_absent(&error) && file.is_symlink() => {
                return Err(Error::BrokenLink { file: file.to_owned() });
            }
            Err(error) if is_absent(&error) => {
                return Ok(Self { file: file.to_owned(), real: file.to_owned(), bytes: None });
            }
            Err(error) => return Err(unreadable(error)),
        };
        let bytes = fs::read_to_string(&real).map_err(unreadable)?;
        Ok(Self { file: file.to_owned(), real, bytes: Some(bytes) })
    }

    /// Returns the text without its byte order mark.
    pub(super) fn text(&self) -> Option<&str> {
        let bytes = self.bytes.as_deref()?;
        Some(bytes.strip_prefix(BOM).unwrap_or(bytes))
    }

    /// Returns the backups, newest first.
    pub(super) fn backups(&self) -> Vec<PathBuf> {
        let Some((folder, name)) = self.real.parent().zip(self.real.file_name()) else {
            return Vec::new();
        };
        let start = format!("{}{MARK}", name.to_string_lossy());
        let is_copy = |file: &PathBuf| {
            file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&start))
        };
        // A folder that cannot be listed has no usable backups.
        let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        let mut copies: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_copy).collect();
        copies.sort();
        copies.reverse();
        copies
    }

    /// Replaces the file. Returns the path of the backup.
    pub(super) fn write(&self, after: &After) -> Result<Option<PathBuf>, Error> {
        let unwritable = |source| Error::Unwritable { file: self.file.clone(), source };
        match after {
            After::NoFile => {
                self.still_as_read()?;
                fs::remove_file(&self.real).map_err(unwritable)?;
                Ok(None)
            }
            After::Text(text) => {
                let written = self.prepared(text).map_err(unwritable)?;
                self.still_as_read()?;
                let backup = self.backup().map_err(unwritable)?;
                written.persist(&self.real).map_err(|error| unwritable(error.error))?;
                self.forget_oldest();
                Ok(backup)
            }
        }
    }

    /// Writes the new content to a temporary file next to the old one, and syncs it.
    fn prepared(&self, text: &str) -> io::Result<tempfile::NamedTempFile> {
        let folder = self.real.parent().unwrap_or(Path::new("/"));
        fs::create_dir_all(folder)?;
        let mut file = tempfile::Builder::new().prefix(".deskhand-").tempfile_in(folder)?;
        let marked = self.bytes.as_deref().is_some_and(|bytes| bytes.starts_with(BOM));
        if marked {
            file.write_all(BOM.as_bytes())?;
        }
        file.write_all(text.as_bytes())?;
        let permissions = match &self.bytes {
            Some(_) => fs::metadata(&self.real)?.permissions(),
            None => fs::Permissions::from_mode(PRIVATE),
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
        let mut name = self.real.as_os_str().to_owned();
        name.push(format!("{MARK}{time}"));
        let copy = PathBuf::from(name);
        fs::copy(&self.real, &copy)?;
        Ok(Some(copy))
    }

    /// Returns an error if another program has changed the file since it was read.
    fn still_as_read(&self) -> Result<(), Error> {
        let now = match fs::read(&self.real) {
            Ok(now) => Some(now),
            Err(error) if is_absent(&error) => None,
            // A file that can no longer be read has changed.
            Err(_) => return Err(Error::Changed { file: self.file.clone() }),
        };
        let same = now.as_deref() == self.bytes.as_deref().map(str::as_bytes);
        if same { Ok(()) } else { Err(Error::Changed { file: self.file.clone() }) }
    }

    fn forget_oldest(&self) {
        for copy in self.backups().into_iter().skip(KEPT) {
            // An extra backup does no harm.
            let _ = fs::remove_file(copy);
        }
    }
}

fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), io::ErrorKind::NotFound)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concurrent_changes_are_not_overwritten() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mcp.json");
        let settings = Settings::read(&file).unwrap();
        // Even if the new content is not text.
        fs::write(&file, [0xff, 0xfe, 0x00]).unwrap();
        let refused = settings.write(&After::Text("{}".to_owned()));
        assert!(matches!(refused, Err(Error::Changed { .. })), "{refused:?}");
        assert_eq!(fs::read(&file).unwrap(), [0xff, 0xfe, 0x00]);
    }
}
