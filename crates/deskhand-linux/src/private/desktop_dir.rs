//! The directory of one desktop and the files in it.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use deskhand_platform::create_private_dirs;

use super::error::{Error, Result};

/// The directory of one desktop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct DesktopDir {
    directory: PathBuf,
}

impl DesktopDir {
    pub(super) fn new(directory: PathBuf) -> Self {
        Self { directory }
    }

    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    pub(super) fn state_dir(&self) -> PathBuf {
        self.directory.parent().unwrap_or(&self.directory).to_owned()
    }

    /// Waits for the exclusive right to end the desktop, held until the file is dropped. Returns
    /// `None` if the directory no longer exists.
    pub(super) fn lock(&self) -> Result<Option<File>> {
        let directory = match File::open(&self.directory) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            other => other.map_err(Error::io("open", &self.directory))?,
        };
        directory.lock().map_err(Error::io("lock", &self.directory))?;
        Ok(Some(directory))
    }

    /// Locks the directory without waiting. Also returns `None` if another process holds the lock.
    pub(super) fn try_lock(&self) -> Option<File> {
        File::open(&self.directory).ok().filter(|directory| directory.try_lock().is_ok())
    }

    pub(super) fn record_file(&self) -> PathBuf {
        self.directory.join("state.json")
    }

    pub(super) fn home(&self) -> PathBuf {
        self.directory.join("home")
    }

    /// The name is short because paths of Unix sockets are limited to 107 bytes.
    pub(super) fn runtime_dir(&self) -> PathBuf {
        self.directory.join("run")
    }

    /// The desktop's replacement for `/tmp`.
    pub(super) fn temp(&self) -> PathBuf {
        self.directory.join("tmp")
    }

    pub(super) fn services(&self) -> PathBuf {
        self.directory.join("services")
    }

    pub(super) fn logs(&self) -> PathBuf {
        self.directory.join("log")
    }

    pub(super) fn log(&self, program: &str) -> PathBuf {
        self.logs().join(program)
    }

    pub(super) fn xauthority(&self) -> PathBuf {
        self.directory.join("xauthority")
    }

    pub(super) fn bus_config(&self) -> PathBuf {
        self.directory.join("session.conf")
    }

    pub(super) fn wm_config(&self) -> PathBuf {
        self.directory.join("openbox.xml")
    }

    /// Returns the session bus address. It is also the default location for programs without a bus
    /// variable.
    pub(super) fn session_bus(&self) -> String {
        format!("unix:path={}", self.runtime_dir().join("bus").display())
    }

    /// Creates all directories inside.
    pub(super) fn create_subdirectories(&self) -> Result<()> {
        let home = self.home();
        let homes = [".config", ".cache", ".local/share", ".local/state"].map(|one| home.join(one));
        let others = [self.runtime_dir(), self.temp(), self.services(), self.logs()];
        for path in homes.iter().chain(&others) {
            create_private_dirs(path).map_err(Error::io("create", path))?;
        }
        Ok(())
    }

    /// Writes a file atomically. Only this user can read it.
    pub(super) fn write(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        let temporary = path.with_extension("new");
        let written = fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&temporary)
            .and_then(|mut file| std::io::Write::write_all(&mut file, bytes))
            .and_then(|()| fs::rename(&temporary, path));
        written.map_err(Error::io("write", path))
    }
}
