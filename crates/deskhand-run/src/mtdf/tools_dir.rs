//! The folder with tool definitions. Commands may write in it or next to it, so the server reads only the folder
//! that it was configured with, and follows no link.

use std::{
    fs,
    fs::File,
    io::{self, Read},
    os::fd::OwnedFd,
    path::{Component, Path, PathBuf},
};

use rustix::fs::{Mode, OFlags, open, openat};

use super::{diagnostic::Diagnostic, scope::resolve};

/// Maximum size of a file. A tool takes a few thousand bytes.
pub(super) const MAX_FILE_SIZE: u64 = 1 << 20;

/// Maximum number of files.
const MAX_FILES: usize = 1000;

/// A folder with definitions, and its resolved path at startup.
#[derive(Debug, Clone)]
pub(crate) struct ToolsDir {
    path: PathBuf,
    resolved: PathBuf,
}

/// An open folder with definitions.
#[derive(Debug)]
pub(crate) struct OpenToolsDir {
    folder: OwnedFd,
    /// Its definition files, sorted.
    pub(crate) files: Vec<PathBuf>,
}

impl ToolsDir {
    pub(crate) fn new(folder: &Path) -> Self {
        Self {
            path: folder.to_owned(),
            resolved: resolve_absolute(folder).unwrap_or_else(|_| folder.to_owned()),
        }
    }

    /// Opens the folder. Returns `None` if it does not exist.
    pub(crate) fn open(&self) -> Result<Option<OpenToolsDir>, Diagnostic> {
        let refused = |reason: &str, hint| Diagnostic::for_file(&self.path, reason, Some(hint));
        let failed = |error: io::Error| {
            refused(&format!("the folder cannot be read: {error}"), "make it readable")
        };
        let now = resolve_absolute(&self.path).map_err(failed)?;
        if now != self.resolved {
            let reason = "another folder has taken the place of this one";
            return Err(refused(reason, "restart the server if this is intended"));
        }
        if links_out_of_working_folder(&self.path, &now) {
            let reason = "the folder is a link that leads out of the working folder";
            return Err(refused(reason, "name the target of the link"));
        }
        let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC | OFlags::RDONLY;
        let folder = match open(&self.resolved, flags, Mode::empty()) {
            Ok(folder) => folder,
            Err(rustix::io::Errno::NOENT) => return Ok(None),
            Err(error) => return Err(failed(error.into())),
        };
        let files = self.files().map_err(failed)?;
        // The folder may have been replaced between the two steps.
        if !resolve_absolute(&self.path).is_ok_and(|after| after == self.resolved) {
            let reason = "the folder was replaced while it was read";
            return Err(refused(reason, "try again"));
        }
        Ok(Some(OpenToolsDir { folder, files }))
    }

    fn files(&self) -> io::Result<Vec<PathBuf>> {
        // Hidden files belong to editors.
        let is_definition = |path: &Path| {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            path.extension().is_some_and(|ending| ending == "json") && !name.starts_with('.')
        };
        let entries = match fs::read_dir(&self.path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries?,
        };
        let paths = entries.filter_map(|entry| Some(entry.ok()?.path()));
        let mut files: Vec<PathBuf> = paths.filter(|path| is_definition(path)).collect();
        files.sort();
        Ok(files)
    }
}

impl OpenToolsDir {
    /// Drops surplus files and reports them.
    pub(crate) fn limit_files(&mut self, folder: &Path) -> Option<Diagnostic> {
        let count = self.files.len();
        self.files.truncate(MAX_FILES);
        let reason = format!("the folder has {count} files, but only {MAX_FILES} are read");
        let hint = Some("combine related tools in one file");
        (count > MAX_FILES).then(|| Diagnostic::for_file(folder, reason, hint))
    }

    /// Reads a file of this folder, up to one byte more than allowed.
    pub(crate) fn read(&self, file: &Path) -> Result<Vec<u8>, Diagnostic> {
        let refused = |reason: String, hint| Diagnostic::for_file(file, reason, hint);
        let failed = |error: io::Error| refused(format!("the file cannot be read: {error}"), None);
        let name = file.file_name().unwrap_or_default();
        // Opening a pipe would wait for a writer otherwise.
        let flags = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC | OFlags::RDONLY;
        let opened = match openat(&self.folder, name, flags, Mode::empty()) {
            Ok(opened) => File::from(opened),
            Err(rustix::io::Errno::LOOP) => {
                return Err(refused(
                    "the file is a link".to_owned(),
                    Some("replace it with a copy"),
                ));
            }
            Err(error) => return Err(failed(error.into())),
        };
        if !opened.metadata().map_err(failed)?.is_file() {
            return Err(refused("this is not a regular file".to_owned(), None));
        }
        let mut bytes = Vec::new();
        opened.take(MAX_FILE_SIZE + 1).read_to_end(&mut bytes).map_err(failed)?;
        Ok(bytes)
    }
}

/// Resolves the path of a folder that may not exist.
fn resolve_absolute(folder: &Path) -> io::Result<PathBuf> {
    resolve(&std::path::absolute(folder)?)
}

/// Returns `true` if a path in the working folder leads out of it. The user who started the server chose other
/// folders, but a link in the working folder may have been made by a command.
fn links_out_of_working_folder(path: &Path, resolved: &Path) -> bool {
    let Ok(here) = std::env::current_dir() else { return false };
    let Ok(real_here) = here.canonicalize() else { return false };
    let inside = std::path::absolute(path).is_ok_and(|path| normalize(&path).starts_with(&here));
    inside && !resolved.starts_with(real_here)
}

/// Removes `.` and `..` from a path without following links.
fn normalize(path: &Path) -> PathBuf {
    path.components().fold(PathBuf::new(), |mut normalized, part| {
        match part {
            Component::ParentDir => {
                normalized.pop();
            }
            Component::CurDir => {}
            Component::Prefix(_) | Component::RootDir | Component::Normal(_) => {
                normalized.push(part)
            }
        }
        normalized
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn relative_parent_path_does_not_count_as_link() -> io::Result<()> {
        let here = std::env::current_dir()?;
        let above = here.join("..").canonicalize()?;
        assert!(!links_out_of_working_folder(Path::new("../x"), &above.join("x")));
        assert!(!links_out_of_working_folder(&here.join("a/../../x"), &above.join("x")));
        assert!(links_out_of_working_folder(Path::new("a/../x"), &above.join("x")));
        assert!(links_out_of_working_folder(Path::new("x"), &above.join("x")));
        Ok(())
    }
}
