//! The directory of one desktop: what lies where inside.

use std::fs::{self, DirBuilder, File};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use super::error::{Error, Result};

/// The directory of one desktop.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Place {
    directory: PathBuf,
}

impl Place {
    pub(super) fn new(directory: PathBuf) -> Self {
        Self { directory }
    }

    pub(super) fn directory(&self) -> &Path {
        &self.directory
    }

    pub(super) fn state_dir(&self) -> PathBuf {
        self.directory.parent().unwrap_or(&self.directory).to_owned()
    }

    /// Waits for the right to end what runs here, held until dropped; `None` when nothing is left.
    pub(super) fn turn(&self) -> Result<Option<File>> {
        let directory = match File::open(&self.directory) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(None),
            other => other.map_err(Error::io("open", &self.directory))?,
        };
        directory.lock().map_err(Error::io("lock", &self.directory))?;
        Ok(Some(directory))
    }

    /// The same without waiting; `None` also when somebody else is at it.
    pub(super) fn turn_now(&self) -> Option<File> {
        File::open(&self.directory).ok().filter(|directory| directory.try_lock().is_ok())
    }

    pub(super) fn record(&self) -> PathBuf {
        self.directory.join("state.json")
    }

    pub(super) fn home(&self) -> PathBuf {
        self.directory.join("home")
    }

    /// Short, because paths of unix sockets end at 107 bytes.
    pub(super) fn runtime_dir(&self) -> PathBuf {
        self.directory.join("run")
    }

    /// For sockets and files that programs would leave in the machine's own directory.
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

    /// Where programs that are told nothing look for the session bus, too.
    pub(super) fn session_bus(&self) -> String {
        format!("unix:path={}", self.runtime_dir().join("bus").display())
    }

    /// Makes every directory inside.
    pub(super) fn furnish(&self) -> Result<()> {
        let home = self.home();
        let homes = [".config", ".cache", ".local/share", ".local/state"].map(|one| home.join(one));
        let others = [self.runtime_dir(), self.temp(), self.services(), self.logs()];
        for path in homes.iter().chain(&others) {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(path)
                .map_err(Error::io("create", path))?;
        }
        Ok(())
    }

    /// Writes a file that only this user can read, in whole or not at all.
    pub(super) fn write(&self, path: &Path, bytes: &[u8]) -> Result<()> {
        let draft = path.with_extension("new");
        let written = fs::OpenOptions::new()
            .write(true)
            .create(true)
            .truncate(true)
            .mode(0o600)
            .open(&draft)
            .and_then(|mut file| std::io::Write::write_all(&mut file, bytes))
            .and_then(|()| fs::rename(&draft, path));
        written.map_err(Error::io("write", path))
    }
}
