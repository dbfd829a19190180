//! What is kept on disk of every desktop: who made it, whom it belongs to, what it consists of.
//!
//! One directory a desktop, named like it. A record is written before the first process starts.
//! Whoever takes a desktop down says so in its record first, so that a taking down that is cut
//! short is finished by the next sweep. The directory keeps its name until the last process is
//! gone: programs save their settings when they are asked to end, and would make it anew.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::environment;
use super::error::{Error, Result};
use super::info::{Info, Part};
use super::options::{Owner, check_name};
use super::place::Place;
use super::process::Process;

/// Directories that may not have a record yet.
const UNBORN: &str = ".new-";
/// Directories that are being removed.
const DEAD: &str = ".dead-";
/// How often, and after which pause, it is tried again to remove what somebody writes in.
const AGAIN: u32 = 20;
const PAUSE: Duration = Duration::from_millis(10);
/// A socket's path ends at 107 bytes, and Chromium adds 44 to the temporary directory it is given.
const LONGEST_ROOT: usize = 32;

/// What is on disk of one desktop.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub(super) struct Record {
    pub(super) name: String,
    pub(super) id: String,
    /// Start times count from the start of the machine, so they mean nothing after the next.
    boot: String,
    maker: Process,
    /// Somebody is taking it down, or was killed doing so.
    ending: bool,
    pub(super) owner: Option<Process>,
    /// Absent while the desktop is being made.
    pub(super) info: Option<Info>,
}

impl Record {
    /// Tells whether nobody needs this desktop any more.
    fn is_dead(&self, boot: &str) -> bool {
        if self.ending || self.boot != boot {
            return true;
        }
        match (&self.owner, &self.info) {
            (Some(owner), _) => !owner.is_alive(),
            (None, None) => !self.maker.is_alive(),
            (None, Some(info)) => {
                !info.component(Part::Display).is_some_and(|one| one.process.is_alive())
            }
        }
    }

    /// Adds what is known once the desktop is up.
    pub(super) fn with(&self, info: Info) -> Self {
        Self { info: Some(info), ..self.clone() }
    }

    fn read(place: &Place) -> Option<Self> {
        // A directory without a record of ours is none of our business.
        serde_json::from_slice(&fs::read(place.record()).ok()?).ok()
    }

    pub(super) fn write(&self, place: &Place) -> Result<()> {
        let path = place.record();
        let bytes = serde_json::to_vec_pretty(self)
            .map_err(|error| Error::io("write", &path)(error.into()))?;
        place.write(&path, &bytes)
    }
}

/// The directory that holds the desktops of one user.
#[derive(Debug)]
pub(super) struct Root {
    path: PathBuf,
}

/// The right to rename and remove in the root, held until dropped.
struct Lock {
    _directory: File,
}

impl Root {
    pub(super) fn at(path: PathBuf) -> Self {
        Self { path }
    }

    pub(super) fn locate() -> Self {
        let said = |name| std::env::var_os(name).map(PathBuf::from).filter(|path| fits(path));
        let path = said(environment::STATE_DIR)
            .or_else(|| {
                let runtime = said("XDG_RUNTIME_DIR").filter(|path| is_private(path).is_ok());
                runtime.map(|path| path.join("deskhand"))
            })
            .filter(|path| path.as_os_str().len() <= LONGEST_ROOT)
            .unwrap_or_else(|| {
                format!("/tmp/deskhand-{}", rustix::process::getuid().as_raw()).into()
            });
        Self { path }
    }

    /// Makes the root if need be and waits for the right to change it. The lock is on the
    /// directory itself: there is no lock file to be left behind.
    fn lock(&self) -> Result<Lock> {
        loop {
            match fs::DirBuilder::new().mode(0o700).create(&self.path) {
                Err(error) if error.kind() != ErrorKind::AlreadyExists => {
                    return Err(Error::io("create", &self.path)(error));
                }
                Ok(()) | Err(_) => {}
            }
            match is_private(&self.path) {
                Err(Error::Io { source, .. }) if source.kind() == ErrorKind::NotFound => continue,
                other => other?,
            }
            let directory = match File::open(&self.path) {
                Err(error) if error.kind() == ErrorKind::NotFound => continue,
                other => other.map_err(Error::io("open", &self.path))?,
            };
            directory.lock().map_err(Error::io("lock", &self.path))?;
            let held = directory.metadata().map_err(Error::io("read", &self.path))?;
            let same = |now: fs::Metadata| (now.dev(), now.ino()) == (held.dev(), held.ino());
            // Its last user may have removed it while we waited.
            if fs::symlink_metadata(&self.path).is_ok_and(same) {
                return Ok(Lock { _directory: directory });
            }
        }
    }

    /// Takes a name and a directory for a new desktop.
    pub(super) fn reserve(&self, name: Option<&str>, owner: Owner) -> Result<(Record, Place)> {
        name.map_or(Ok(()), check_name)?;
        let maker = Process::current()?;
        let leaf = random_hex::<8>()?;
        // A desktop made inside another ends with it.
        let id = match std::env::var(environment::MARK) {
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
            Owner::Nobody => None,
            Owner::Process => Some(maker),
        };
        let record = Record { name, id, boot: boot()?, maker, ending: false, owner, info: None };
        let unborn = Place::new(self.path.join(format!("{UNBORN}{leaf}")));
        fs::DirBuilder::new()
            .mode(0o700)
            .create(unborn.directory())
            .map_err(Error::io("create", unborn.directory()))?;
        record.write(&unborn)?;
        let place = Place::new(self.path.join(&record.name));
        fs::rename(unborn.directory(), place.directory())
            .map_err(Error::io("create", place.directory()))?;
        Ok((record, place))
    }

    /// Lists the desktops that are up, by name.
    pub(super) fn live(&self) -> Result<Vec<Record>> {
        let boot = boot()?;
        let mut live: Vec<_> = self
            .places()?
            .iter()
            .filter_map(Record::read)
            .filter(|record| record.info.is_some() && !record.is_dead(&boot))
            .collect();
        live.sort_by(|a, b| (a.name.len(), &a.name).cmp(&(b.name.len(), &b.name)));
        Ok(live)
    }

    /// Claims one desktop for being taken down; none when it is not there.
    pub(super) fn claim(&self, name: &str, id: Option<&str>) -> Result<Option<(Record, Place)>> {
        if check_name(name).is_err() || !self.exists() {
            return Ok(None);
        }
        let _lock = self.lock()?;
        let place = Place::new(self.path.join(name));
        let wanted = |record: &Record| match id {
            Some(id) => record.id == id,
            None => record.info.is_some(),
        };
        let Some(record) = Record::read(&place).filter(wanted) else { return Ok(None) };
        let record = Record { ending: true, ..record };
        record.write(&place)?;
        Ok(Some((record, place)))
    }

    /// Finds every desktop that nobody needs any more.
    pub(super) fn dead(&self) -> Result<Vec<(Record, Place)>> {
        if !self.exists() {
            return Ok(Vec::new());
        }
        let boot = boot()?;
        let _lock = self.lock()?;
        let mut dead = Vec::new();
        for place in self.places()? {
            let name = place.directory().file_name().and_then(|name| name.to_str()).unwrap_or("");
            if name.starts_with(UNBORN) || name.starts_with(DEAD) {
                // Nothing runs in either: one has not had a process, the other has none left.
                remove(place.directory())?;
            } else if let Some(record) = Record::read(&place).filter(|one| one.is_dead(&boot)) {
                dead.push((record, place));
            }
        }
        Ok(dead)
    }

    /// Removes what an ended desktop had on disk, and the root with the last one.
    pub(super) fn forget(&self, id: &str, place: &Place) -> Result<()> {
        if !self.exists() {
            return Ok(());
        }
        let _lock = self.lock()?;
        match Record::read(place) {
            Some(record) if record.id == id => {
                let leaf = id.rsplit('/').next().unwrap_or(id);
                let dead = self.path.join(format!("{DEAD}{leaf}"));
                fs::rename(place.directory(), &dead)
                    .map_err(Error::io("rename", place.directory()))?;
                remove(&dead)?;
                // A program nobody could tell to be of the desktop may have written there since.
                remove(place.directory())?;
            }
            // A new desktop has the name by now.
            Some(_) => {}
            // Another sweep was faster, and maybe faster than the last program: what that wrote
            // since is nobody's. A new desktop's directory comes with its record.
            None => remove(place.directory())?,
        }
        // Fails while another desktop is in it, and then it has to stay.
        let _ = fs::remove_dir(&self.path);
        Ok(())
    }

    fn exists(&self) -> bool {
        self.path.is_dir()
    }

    fn places(&self) -> Result<Vec<Place>> {
        let entries = match fs::read_dir(&self.path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            other => other.map_err(Error::io("list", &self.path))?,
        };
        Ok(entries.flatten().map(|entry| Place::new(entry.path())).collect())
    }
}

/// Paths go into bus addresses and shell lines as they are, so only plain ones are used.
fn fits(path: &Path) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-_/.".contains(&byte);
    path.is_absolute() && path.as_os_str().as_encoded_bytes().iter().all(|byte| plain(*byte))
}

/// Refuses a directory that somebody else owns, can enter or has put a link in the place of.
fn is_private(path: &Path) -> Result<()> {
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

/// Removes a file or a directory; that another sweep was faster is no error.
fn remove(path: &Path) -> Result<()> {
    let is_dir = fs::symlink_metadata(path).is_ok_and(|meta| meta.is_dir());
    let remove = || if is_dir { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    let mut removed = remove();
    for _ in 0..AGAIN {
        match &removed {
            // Somebody still writes in it.
            Err(error) if error.kind() == ErrorKind::DirectoryNotEmpty => {
                std::thread::sleep(PAUSE);
                removed = remove();
            }
            Ok(()) | Err(_) => break,
        }
    }
    match removed {
        Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::io("remove", path)(error)),
        Ok(()) | Err(_) => Ok(()),
    }
}

fn boot() -> Result<String> {
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
