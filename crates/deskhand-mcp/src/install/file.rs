//! A settings file on disk: read once, written whole or not at all, with a copy of what was there.

use std::{
    fs,
    io::{self, Write as _},
    os::unix::fs::PermissionsExt as _,
    path::{Path, PathBuf},
};

use super::{After, Error};

/// How many copies of older states are kept.
const KEPT: usize = 5;
/// What stands between the name of a file and the time of its copy.
const MARK: &str = ".deskhand-backup-";
/// Settings may hold keys, so that a new file is its owner's alone.
const PRIVATE: u32 = 0o600;
const BOM: &str = "\u{feff}";

/// A settings file as it was read.
#[derive(Debug)]
pub(super) struct Settings {
    /// The name it is known by.
    file: PathBuf,
    /// The file itself, at the end of all links.
    real: PathBuf,
    /// What is in it; `None` when it is not there.
    bytes: Option<String>,
}

impl Settings {
    /// Reads a file that may not be there.
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

    /// Its text, without the mark that some editors put before it.
    pub(super) fn text(&self) -> Option<&str> {
        let bytes = self.bytes.as_deref()?;
        Some(bytes.strip_prefix(BOM).unwrap_or(bytes))
    }

    /// The copies of older states, the newest first.
    pub(super) fn backups(&self) -> Vec<PathBuf> {
        let Some((folder, name)) = self.real.parent().zip(self.real.file_name()) else {
            return Vec::new();
        };
        let start = format!("{}{MARK}", name.to_string_lossy());
        let is_copy = |file: &PathBuf| {
            file.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&start))
        };
        // A folder that cannot be listed has no copies we could use.
        let entries = fs::read_dir(folder).into_iter().flatten().filter_map(Result::ok);
        let mut copies: Vec<PathBuf> = entries.map(|entry| entry.path()).filter(is_copy).collect();
        copies.sort();
        copies.reverse();
        copies
    }

    /// Puts a new state in the place of the old one; returns the copy of the old one.
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

    /// The new state in a file beside the old one, safe on the disk.
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

    /// Copies the old state, where there is one.
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

    /// Fails when another program has written the file since it was read.
    fn still_as_read(&self) -> Result<(), Error> {
        let now = match fs::read(&self.real) {
            Ok(now) => Some(now),
            Err(error) if is_absent(&error) => None,
            // What cannot be read any more is not as it was read.
            Err(_) => return Err(Error::Changed { file: self.file.clone() }),
        };
        let same = now.as_deref() == self.bytes.as_deref().map(str::as_bytes);
        if same { Ok(()) } else { Err(Error::Changed { file: self.file.clone() }) }
    }

    fn forget_oldest(&self) {
        for copy in self.backups().into_iter().skip(KEPT) {
            // One copy too many does no harm.
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
    fn what_another_program_wrote_meanwhile_is_not_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("mcp.json");
        let settings = Settings::read(&file).unwrap();
        // Not even where it is no text.
        fs::write(&file, [0xff, 0xfe, 0x00]).unwrap();
        let refused = settings.write(&After::Text("{}".to_owned()));
        assert!(matches!(refused, Err(Error::Changed { .. })), "{refused:?}");
        assert_eq!(fs::read(&file).unwrap(), [0xff, 0xfe, 0x00]);
    }
}
