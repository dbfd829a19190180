//! Where long outputs of all sessions of a server are kept, and how much room is left for them.

use std::{
    fs::{self, DirBuilder, File, Permissions},
    io,
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::PathBuf,
    sync::atomic::{AtomicU64, Ordering},
};

/// A private folder with so much room.
#[derive(Debug)]
pub(crate) struct Shelf {
    folder: PathBuf,
    left: AtomicU64,
}

impl Shelf {
    /// A folder for so many bytes; it is made when it is needed.
    pub(crate) fn new(folder: PathBuf, room: u64) -> Self {
        Self { folder, left: AtomicU64::new(room) }
    }

    /// How many bytes are left.
    pub(crate) fn left(&self) -> u64 {
        self.left.load(Ordering::Relaxed)
    }

    /// Takes room for as many bytes as there is.
    pub(super) fn take(&self, wanted: u64) -> u64 {
        let less = |left: u64| Some(left - left.min(wanted));
        match self.left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less) {
            Ok(left) | Err(left) => left.min(wanted),
        }
    }

    /// Gives room back.
    pub(super) fn give(&self, bytes: u64) {
        self.left.fetch_add(bytes, Ordering::Relaxed);
    }

    /// A file without a name.
    pub(super) fn file(&self) -> io::Result<File> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&self.folder);
        made.and_then(|()| fs::set_permissions(&self.folder, Permissions::from_mode(0o700)))?;
        tempfile::tempfile_in(&self.folder)
    }
}
