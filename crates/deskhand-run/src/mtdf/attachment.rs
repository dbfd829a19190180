//! Files that hold an argument: made for one call, readable by its command alone, gone with it.

use std::{
    io::{self, Write},
    path::Path,
    sync::Arc,
};

use tempfile::TempPath;

/// A file made for a call; it is removed when the last copy of this goes.
#[derive(Debug, Clone)]
pub struct Attachment(Arc<TempPath>);

impl Attachment {
    /// Writes a file into a folder. It must be one the command sees, and the private folder for
    /// temporary files of a sandbox is not there before its command is.
    pub(super) fn write(text: &str, folder: &Path) -> io::Result<Self> {
        let mut file = tempfile::Builder::new().prefix(".deskhand-").tempfile_in(folder)?;
        file.write_all(text.as_bytes())?;
        Ok(Self(Arc::new(file.into_temp_path())))
    }

    /// Where it is.
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl PartialEq for Attachment {
    fn eq(&self, other: &Self) -> bool {
        self.path() == other.path()
    }
}

impl Eq for Attachment {}
