//! The folder that definitions are read from. Commands may write in it or beside it, so it must stay
//! the folder it was: the server reads no other one in its place, and follows no link.

use std::{
    fs,
    fs::File,
    io::{self, Read},
    os::fd::OwnedFd,
    path::{Component, Path, PathBuf},
};

use rustix::fs::{Mode, OFlags, open, openat};

use super::{refusal::Refusal, scope::resolve};

/// The largest file that is read; a tool takes some thousand bytes.
pub(super) const MOST_BYTES: u64 = 1 << 20;

/// How many files are read.
const MOST_FILES: usize = 1000;

/// A folder of definitions, and where its name led when it was named.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    given: PathBuf,
    real: PathBuf,
}

/// A folder that is there, held open.
#[derive(Debug)]
pub(crate) struct Opened {
    folder: OwnedFd,
    /// Its definitions, sorted.
    pub(crate) files: Vec<PathBuf>,
}

impl Place {
    pub(crate) fn new(folder: &Path) -> Self {
        Self { given: folder.to_owned(), real: led(folder).unwrap_or_else(|_| folder.to_owned()) }
    }

    /// Opens the folder; nothing where it is not there.
    pub(crate) fn open(&self) -> Result<Option<Opened>, Refusal> {
        let refused = |why: &str, hint| Refusal::of_file(&self.given, why, Some(hint));
        let failed = |error: io::Error| {
            refused(&format!("the folder cannot be read: {error}"), "let it be read")
        };
        let now = led(&self.given).map_err(failed)?;
        if now != self.real {
            let why = "another folder has been put in the place of this one";
            return Err(refused(why, "restart the server if that is meant"));
        }
        if leaves_the_working_folder(&self.given, &now) {
            let why = "the folder is a link that leads out of the working folder";
            return Err(refused(why, "name the folder it leads to"));
        }
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
        let folder = match open(&self.real, flags, Mode::empty()) {
            Ok(folder) => folder,
            Err(rustix::io::Errno::NOENT) => return Ok(None),
            Err(error) => return Err(failed(error.into())),
        };
        let files = self.files().map_err(failed)?;
        // What was opened is what was looked at, unless somebody changed it in between.
        if !led(&self.given).is_ok_and(|after| after == self.real) {
            let why = "the folder is being replaced";
            return Err(refused(why, "wait until it stays"));
        }
        Ok(Some(Opened { folder, files }))
    }

    fn files(&self) -> io::Result<Vec<PathBuf>> {
        // Editors put their own files beside those they edit, and hide them.
        let wanted = |path: &Path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            path.extension().is_some_and(|ending| ending == "json") && !name.starts_with('.')
        };
        let entries = match fs::read_dir(&self.given) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut files: Vec<PathBuf> = paths.filter(|path| wanted(path)).collect();
        files.sort();
        Ok(files)
    }
}

impl Opened {
    /// Leaves out what is too much, and says so.
    pub(crate) fn bounded(&mut self, folder: &Path) -> Option<Refusal> {
        let count = self.files.len();
        self.files.truncate(MOST_FILES);
        let why = format!("there are {count} files, and {MOST_FILES} are read");
        let hint = Some("put tools that belong together into one");
        (count > MOST_FILES).then(|| Refusal::of_file(folder, why, hint))
    }

    /// The bytes of a file of this folder, up to one more than may be read.
    pub(crate) fn contents(&self, file: &Path) -> Result<Vec<u8>, Refusal> {
        let refused = |why: String, hint| Refusal::of_file(file, why, hint);
        let failed = |error: io::Error| refused(format!("the file cannot be read: {error}"), None);
        let name = file.file_name().unwrap_or_default();
        // Opening a pipe waits for a writer unless it is told not to.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::RDONLY;
        let opened = match openat(&self.folder, name, flags, Mode::empty()) {
            Ok(opened) => File::from(opened),
            Err(rustix::io::Errno::LOOP) => {
                return Err(refused("the file is a link".to_owned(), Some("put a copy here")));
            }
            Err(error) => return Err(failed(error.into())),
        };
        if !opened.metadata().map_err(failed)?.is_file() {
            return Err(refused("this is not a file with text".to_owned(), None));
        }
        let mut bytes = Vec::new();
        opened.take(MOST_BYTES + 1).read_to_end(&mut bytes).map_err(failed)?;
        Ok(bytes)
    }
}

/// Where a folder's name leads, be it there or not.
fn led(folder: &Path) -> io::Result<PathBuf> {
    resolve(&std::path::absolute(folder)?)
}

/// Whether a name in the working folder leads somewhere else. A folder elsewhere was chosen by whoever
/// started the server; a link here may have been made by a command.
fn leaves_the_working_folder(given: &Path, led: &Path) -> bool {
    let Ok(here) = std::env::current_dir() else { return false };
    let Ok(real) = here.canonicalize() else { return false };
    let inside = std::path::absolute(given).is_ok_and(|given| as_read(&given).starts_with(&here));
    inside && !led.starts_with(real)
}

/// A path as a person reads it: `a/../b` is `b`.
fn as_read(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut read, part| {
        match part {
            Component::ParentDir => {
                read.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => read.push(part),
        }
        read
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_named_by_the_way_up_is_no_link_out_of_the_working_folder() -> io::Result<()> {
        let here = std::env::current_dir()?;
        let above = here.join("..").canonicalize()?;
        assert!(!leaves_the_working_folder(Path::new("../x"), &above.join("x")));
        assert!(!leaves_the_working_folder(&here.join("a/../../x"), &above.join("x")));
        assert!(leaves_the_working_folder(Path::new("a/../x"), &above.join("x")));
        assert!(leaves_the_working_folder(Path::new("x"), &above.join("x")));
        Ok(())
    }
}
