//! The files a log is made of: the current one, those it was before, and the head beside them.

use std::{
    fs, io,
    path::{Path, PathBuf},
};

/// Where a log lies.
#[derive(Debug, Clone)]
pub(super) struct Files {
    /// The current file.
    pub(super) current: PathBuf,
}

impl Files {
    /// The folder all of them lie in.
    pub(super) fn folder(&self) -> &Path {
        self.current.parent().unwrap_or(Path::new("."))
    }

    /// The file that tells how far the log has come.
    pub(super) fn head(&self) -> PathBuf {
        self.current.with_extension("head")
    }

    /// What the next current file is called until it is that.
    pub(super) fn next(&self) -> PathBuf {
        self.current.with_extension("next")
    }

    /// What the current file is called once it is full: after its first line.
    pub(super) fn full(&self, first: u64) -> PathBuf {
        self.current.with_file_name(format!("{}{first:012}{}", self.stem(), self.ending()))
    }

    /// The full files with the number of their first lines, oldest first.
    pub(super) fn all_full(&self) -> io::Result<Vec<(u64, PathBuf)>> {
        let (stem, ending) = (self.stem(), self.ending());
        let first = |path: &Path| {
            let name = path.file_name()?.to_str()?;
            let digits = name.strip_prefix(&stem)?.strip_suffix(&ending)?;
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

    fn ending(&self) -> String {
        let ending = self.current.extension();
        ending.map_or(String::new(), |ending| format!(".{}", ending.to_string_lossy()))
    }
}
