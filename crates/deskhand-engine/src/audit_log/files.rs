//! The paths of an audit log: the current file, the full files, and the head file.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// The paths of a log.
#[derive(Debug, Clone)]
pub(super) struct LogPaths {
    /// The current file.
    pub(super) current: PathBuf,
}

impl LogPaths {
    /// Returns the folder of all files.
    pub(super) fn folder(&self) -> &Path {
        self.current.parent().unwrap_or(Path::new("."))
    }

    /// Returns the head file, which stores the position of the last record.
    pub(super) fn head(&self) -> PathBuf {
        self.current.with_extension("head")
    }

    /// Returns the temporary path of the next current file.
    pub(super) fn next(&self) -> PathBuf {
        self.current.with_extension("next")
    }

    /// Returns the path of a full file, named after its first record.
    pub(super) fn full(&self, first: u64) -> PathBuf {
        self.current.with_file_name(format!("{}{first:012}{}", self.stem(), self.suffix()))
    }

    /// Lists the full files with the number of their first record, oldest first.
    pub(super) fn all_full(&self) -> io::Result<Vec<(u64, PathBuf)>> {
        let (stem, suffix) = (self.stem(), self.suffix());
        let first = |path: &Path| {
            let name = path.file_name()?.to_str()?;
            let digits = name.strip_prefix(&stem)?.strip_suffix(&suffix)?;
            (digits.len() == 12).then(|| digits.parse::<u64>().ok()).flatten()
        };
        let mut found = Vec::new();
        for entry in fs::read_dir(self.folder())? {
            let path = entry?.path();
            if let Some(first) = first(&path) {
                found.push((first, path));
            }
        }
        found.sort();
        Ok(found)
    }

    fn stem(&self) -> String {
        let stem = self.current.file_stem().unwrap_or_default();
        format!("{}-", stem.to_string_lossy())
    }

    fn suffix(&self) -> String {
        let suffix = self.current.extension();
        suffix.map_or(String::new(), |suffix| format!(".{}", suffix.to_string_lossy()))
    }
}
