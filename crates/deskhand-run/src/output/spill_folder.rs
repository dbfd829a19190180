//! The folder for long outputs of all sessions, with a limit on its total size.

use std::{
    fs::{self, DirBuilder, File, Permissions},
    io,
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::PathBuf,
    sync::atomic::{AtomicU64, Ordering},
};

/// A private folder with a limited number of bytes.
#[derive(Debug)]
pub(crate) struct SpillFolder {
    folder: PathBuf,
    available: AtomicU64,
}

impl SpillFolder {
    /// Creates a handle for a folder of at most this many bytes. The folder is created when it is needed.
    pub(crate) fn new(folder: PathBuf, bytes: u64) -> Self {
        Self { folder, available: AtomicU64::new(bytes) }
    }

    /// The number of bytes that are still available.
    pub(crate) fn available(&self) -> u64 {
        self.available.load(Ordering::Relaxed)
    }

    /// Reserves up to this many bytes and returns how many.
    pub(super) fn reserve(&self, wanted: u64) -> u64 {
        let less = |available: u64| Some(available - available.min(wanted));
        match self.available.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less) {
            Ok(available) | Err(available) => available.min(wanted),
        }
    }

    /// Releases reserved bytes.
    pub(super) fn release(&self, bytes: u64) {
        self.available.fetch_add(bytes, Ordering::Relaxed);
    }

    /// Creates a file without a name.
    pub(super) fn create_file(&self) -> io::Result<File> {
        let created = DirBuilder::new().recursive(true).mode(0o700).create(&self.folder);
        created.and_then(|()| fs::set_permissions(&self.folder, Permissions::from_mode(0o700)))?;
        tempfile::tempfile_in(&self.folder)
    }
}
