//! The state of desktops on disk: creator, owner and components.
//!
//! Each desktop has a directory with its name. Its record is written before the first process
//! starts. To take a desktop down, a process first sets `ending` in the record, so that another
//! process can finish if it is interrupted. The directory keeps its name until the last process has
//! ended: programs save their settings when they end, and would create it again.

use serde::{Deserialize, Serialize};
use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};

use super::desktop_dir::DesktopDir;
use super::environment;
use super::error::{Error, Result};
use super::info::{ComponentKind, DesktopInfo};
use super::options::{Owner, check_name};
use super::process::Process;
use super::timing::REMOVE_RETRY_INTERVAL;

/// The prefix of directories that may not have a record yet.
const NEW_PREFIX: &str = ".new-";
/// The prefix of directories that are being removed.
const REMOVED_PREFIX: &str = ".dead-";
/// Number of retries to remove a directory that a process is still writing to.
const MAX_REMOVE_RETRIES: u32 = 20;
/// Maximum path length. Socket paths are limited to 107 bytes, and Chromium appends 44 to its
/// temporary directory.
const MAX_PATH_LENGTH: usize = 32;

/// The record of one desktop on disk.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct DesktopRecord {
    pub(super) name: String,
    pub(super) id: String,
    /// The boot id. Start times count from boot, so they are meaningless after a reboot.
    boot: String,
    #[serde(rename = "maker")]
    creator: Process,
    /// `true` if a process is taking the desktop down, or was killed while doing so.
    ending: bool,
    pub(super) owner: Option<Process>,
    /// `None` while the desktop is starting.
    pub(super) info: Option<DesktopInfo>,
}

impl DesktopRecord {
    /// Returns `true` if the desktop is no longer in use.
    fn is_stale(&self, boot_id: &str) -> bool {
        if self.ending || self.boot != boot_id {
            return true;
        }
        match (&self.owner, &self.info) {
            (Some(owner), _) => !owner.is_alive(),
            (None, None) => !self.creator.is_alive(),
            (None, Some(info)) => {
                !info.component(ComponentKind::Display).is_some_and(|one| one.process.is_alive())
            }
        }
    }

    /// Returns a copy with the description of the running desktop.
    pub(super) fn with(&self, info: DesktopInfo) -> Self {
        Self { info: Some(info), ..self.clone() }
    }

    fn read(dir: &DesktopDir) -> Option<Self> {
        // A directory without a valid record is not a desktop.
        serde_json::from_slice(&fs::read(dir.record_file()).ok()?).ok()
    }

    pub(super) fn write(&self, dir: &DesktopDir) -> Result<()> {
        let path = dir.record_file();
        let bytes = serde_json::to_vec_pretty(self)
            .map_err(|error| Error::io("write", &path)(error.into()))?;
        dir.write(&path, &bytes)
    }
}

/// The state directory, which contains the desktops of one user.
#[derive(Debug)]
pub(super) struct StateDir {
    path: PathBuf,
}

/// The exclusive right to rename and remove directories in the state directory, held until dropped.
struct StateDirLock {
    _directory: File,
}

impl StateDir {
    pub(super) fn at(path: PathBuf) -> Self {
        Self { path }
    }

    pub(super) fn locate() -> Self {
        let from_variable =
            |name| std::env::var_os(name).map(PathBuf::from).filter(|path| is_plain_path(path));
        let path = from_variable(environment::STATE_DIR_VAR)
            .or_else(|| {
                let runtime =
                    from_variable("XDG_RUNTIME_DIR").filter(|path| check_private(path).is_ok());
                runtime.map(|path| path.join("deskhand"))
            })
            .filter(|path| path.as_os_str().len() <= MAX_PATH_LENGTH)
            .unwrap_or_else(|| {
                format!("/tmp/deskhand-{}", rustix::process::getuid().as_raw()).into()
            });
        Self { path }
    }

    /// Creates the state directory if needed and waits for its lock. The lock is on the directory
    /// itself, so no lock file is left behind.
    fn lock(&self) -> Result<StateDirLock> {
        loop {
            match fs::DirBuilder::new().mode(0o700).create(&self.path) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                    return Err(Error::io("create", &self.path)(error));
                }
                Ok(()) | Err(_) => {}
            }
            match check_private(&self.path) {
                Err(Error::Io { source, .. }) if source.kind() == ErrorKind::NotFound => continue,
                other => other?,
            }
            let directory = match File::open(&self.path) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                other => other.map_err(Error::io("open", &self.path))?,
            };
            directory.lock().map_err(Error::io("lock", &self.path))?;
            let locked = directory.metadata().map_err(Error::io("read", &self.path))?;
            let same = |now: fs::Metadata| (now.dev(), now.ino()) == (locked.dev(), locked.ino());
            // Another process may have removed the directory during the wait.
            if fs::symlink_metadata(&self.path).is_ok_and(same) {
                return Ok(StateDirLock { _directory: directory });
            }
        }
    }

    /// Reserves a name and a directory for a new desktop.
    pub(super) fn reserve(
        &self,
        name: Option<&str>,
        owner: Owner,
    ) -> Result<(DesktopRecord, DesktopDir)> {
        name.map_or(Ok(()), check_name)?;
        let creator = Process::current()?;
        let leaf = random_hex::<8>()?;
        // A desktop started inside another ends with it.
        let id = match std::env::var(environment::DESKTOP_ID_VAR) {
            Ok(outer) if !outer.is_empty() => format!("{outer}/{leaf}"),
            Ok(_) | Err(_) => leaf.clone(),
        };
        let _lock = self.lock()?;
        let is_free = |name: &str| fs::symlink_metadata(self.path.join(name)).is_err();
        let name = match name {
            Some(name) if is_free(name) => name.to_owned(),
            Some(name) => return Err(Error::NameTaken { name: name.to_owned() }),
            None => (1..).map(|n: u32| format!("d{n}")).find(|n| is_free(n)).unwrap_or_default(),
        };
        let owner = match owner {
            Owner::Unowned => None,
            Owner::Process => Some(creator),
        };
        let record =
            DesktopRecord { name, id, boot: boot_id()?, creator, ending: false, owner, info: None };
        let new_dir = DesktopDir::new(self.path.join(format!("{NEW_PREFIX}{leaf}")));
        fs::DirBuilder::new()
            .mode(0o700)
            .create(new_dir.directory())
            .map_err(Error::io("create", new_dir.directory()))?;
        record.write(&new_dir)?;
        let dir = DesktopDir::new(self.path.join(&record.name));
        fs::rename(new_dir.directory(), dir.directory())
            .map_err(Error::io("create", dir.directory()))?;
        Ok((record, dir))
    }

    /// Lists the running desktops, sorted by name.
    pub(super) fn running(&self) -> Result<Vec<DesktopRecord>> {
        let boot_id = boot_id()?;
        let mut running: Vec<_> = self
            .directories()?
            .iter()
            .filter_map(DesktopRecord::read)
            .filter(|record| record.info.is_some() && !record.is_stale(&boot_id))
            .collect();
        running.sort_by(|a, b| (a.name.len(), &a.name).cmp(&(b.name.len(), &b.name)));
        Ok(running)
    }

    /// Marks a desktop as ending. Returns `None` if it does not exist.
    pub(super) fn claim(
        &self,
        name: &str,
        id: Option<&str>,
    ) -> Result<Option<(DesktopRecord, DesktopDir)>> {
        if check_name(name).is_err() || !self.exists() {
            return Ok(None);
        }
        let _lock = self.lock()?;
        let dir = DesktopDir::new(self.path.join(name));
        let wanted = |record: &DesktopRecord| match id {
            Some(id) => record.id == id,
            None => record.info.is_some(),
        };
        let Some(record) = DesktopRecord::read(&dir).filter(wanted) else { return Ok(None) };
        let record = DesktopRecord { ending: true, ..record };
        record.write(&dir)?;
        Ok(Some((record, dir)))
    }

    /// Returns all desktops that are no longer in use.
    pub(super) fn stale(&self) -> Result<Vec<(DesktopRecord, DesktopDir)>> {
        if !self.exists() {
            return Ok(Vec::new());
        }
        let boot_id = boot_id()?;
        let _lock = self.lock()?;
        let mut stale = Vec::new();
        for dir in self.directories()? {
            let name = dir.directory().file_name().and_then(|name| name.to_str()).unwrap_or("");
            if name.starts_with(NEW_PREFIX) || name.starts_with(REMOVED_PREFIX) {
                // Nothing runs in either: one has no process yet, the other has none left.
                remove_path(dir.directory())?;
            } else if let Some(record) =
                DesktopRecord::read(&dir).filter(|one| one.is_stale(&boot_id))
            {
                stale.push((record, dir));
            }
        }
        Ok(stale)
    }

    /// Removes the files of an ended desktop, and the state directory after the last one.
    pub(super) fn remove(&self, id: &str, dir: &DesktopDir) -> Result<()> {
        if !self.exists() {
            return Ok(());
        }
        let _lock = self.lock()?;
        match DesktopRecord::read(dir) {
            Some(record) if record.id == id => {
                let leaf = id.rsplit('/').next().unwrap_or(id);
                let removed = self.path.join(format!("{REMOVED_PREFIX}{leaf}"));
                fs::rename(dir.directory(), &removed)
                    .map_err(Error::io("rename", dir.directory()))?;
                remove_path(&removed)?;
                // A process that was not recognized as part of the desktop may have written there
                // since.
                remove_path(dir.directory())?;
            }
            // A new desktop already has this name.
            Some(_) => {}
            // Another process removed the desktop first, and a program may have written there
            // since. A new desktop's directory always has a record.
            None => remove_path(dir.directory())?,
        }
        // This fails while another desktop exists, and then the directory must stay.
        let _ = fs::remove_dir(&self.path);
        Ok(())
    }

    fn exists(&self) -> bool {
        self.path.is_dir()
    }

    fn directories(&self) -> Result<Vec<DesktopDir>> {
        let entries = match fs::read_dir(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            other => other.map_err(Error::io("list", &self.path))?,
        };
        Ok(entries.flatten().map(|entry| DesktopDir::new(entry.path())).collect())
    }
}

/// Returns `true` if a path has only plain characters. Paths are inserted into bus addresses and
/// shell commands without quoting.
fn is_plain_path(path: &Path) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_/.".contains(&byte);
    path.is_absolute() && path.as_os_str().as_encoded_bytes().iter().all(|byte| plain(*byte))
}

/// Returns an error if another user owns the directory, can enter it, or replaced it with a link.
fn check_private(path: &Path) -> Result<()> {
    let meta = fs::symlink_metadata(path).map_err(Error::io("read", path))?;
    let refuse = |reason: &str| {
        Err(Error::UnsafeStateDir { path: path.to_owned(), reason: reason.to_owned() })
    };
    if !meta.is_dir() {
        refuse("it is not a directory")
    } else if meta.uid() != rustix::process::getuid().as_raw() {
        refuse("it belongs to another user")
    } else if meta.mode() & 0o077 != 0 {
        refuse("other users can enter it")
    } else {
        Ok(())
    }
}

/// Removes a file or directory. It is no error if another process removed it first.
fn remove_path(path: &Path) -> Result<()> {
    let is_dir = fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir());
    let try_remove = || if is_dir { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    let mut removed = try_remove();
    for _ in 0..MAX_REMOVE_RETRIES {
        match &removed {
            // A process is still writing to it.
            Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => {
                std::thread::sleep(REMOVE_RETRY_INTERVAL);
                removed = try_remove();
            }
            Ok(()) | Err(_) => break,
        }
    }
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io("remove", path)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn boot_id() -> Result<String> {
    let path = Path::new("/proc/sys/kernel/random/boot_id");
    Ok(fs::read_to_string(path).map_err(Error::io("read", path))?.trim().to_owned())
}

/// Reads random bytes from the kernel.
pub(super) fn random<const N: usize>() -> Result<[u8; N]> {
    let path = Path::new("/dev/urandom");
    let mut bytes = [0; N];
    File::open(path)
        .and_then(|mut file| std::io::Read::read_exact(&mut file, &mut bytes))
        .map_err(Error::io("read", path))?;
    Ok(bytes)
}

fn random_hex<const N: usize>() -> Result<String> {
    Ok(random::<N>()?.iter().map(|byte| format!("{byte:02x}")).collect())
}
