//! Temporary files that contain an argument of one call.

use std::{
    io::{self, Write},
    path::Path,
    sync::Arc,
};

use tempfile::TempPath;

/// A temporary file of a call. It is removed with the last copy of this value.
#[derive(Debug, Clone)]
pub struct Attachment(Arc<TempPath>);

impl Attachment {
    /// Writes a file into a folder that the command can see. The private temporary folder of the sandbox does not
    /// exist before the command starts, so it cannot be used.
    pub(super) fn write(text: &str, folder: &Path) -> io::Result<Self> {
        let mut file = tempfile::Builder::new().prefix(".deskhand-").tempfile_in(folder)?;
        file.write_all(text.as_bytes())?;
        Ok(Self(Arc::new(file.into_temp_path())))
    }

    /// The path of the file.
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
