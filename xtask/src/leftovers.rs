//! Files that a test run leaves behind: new entries of the temporary folder, and changes of the work tree.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use crate::error::Result;
use crate::process;

/// The entries that exist before a test run.
pub(crate) struct Before {
    temporary: BTreeSet<String>,
    work_tree: BTreeSet<String>,
}

impl Before {
    /// Lists the entries that exist now.
    pub(crate) fn list() -> Result<Self> {
        Ok(Self {
            temporary: entries(&std::env::temp_dir()),
            work_tree: changes(&process::root())?,
        })
    }

    /// Prints what has been added since. This is no failure, because other programs create files too.
    pub(crate) fn report_new(&self) -> Result<()> {
        let now = Self::list()?;
        let folder = std::env::temp_dir();
        for name in now.temporary.difference(&self.temporary) {
            println!("test: new in the temporary folder: {}", folder.join(name).display());
        }
        for line in now.work_tree.difference(&self.work_tree) {
            println!("test: changed in the work tree: {line}");
        }
        Ok(())
    }
}

/// Returns the names in a folder. A folder that cannot be read has none.
fn entries(folder: &Path) -> BTreeSet<String> {
    let all = std::fs::read_dir(folder).into_iter().flatten().flatten();
    all.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Returns the lines of `git status`. A source archive has none.
fn changes(root: &Path) -> Result<BTreeSet<String>> {
    if !root.join(".git").exists() {
        return Ok(BTreeSet::new());
    }
    // In containers, the checkout often belongs to another user.
    let arguments = ["-c", "safe.directory=*", "status", "--porcelain", "--untracked-files=all"];
    let status = process::output(Command::new("git").current_dir(root).args(arguments))?;
    Ok(status.lines().map(|line| line.trim().to_owned()).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn new_files_are_found_in_folders_and_work_trees() {
        let folder = tempfile::tempdir().unwrap();
        let root = folder.path();
        assert_eq!(changes(root).unwrap(), BTreeSet::new(), "an archive");
        process::output(Command::new("git").current_dir(root).args(["init", "--quiet"])).unwrap();
        let before = entries(root);
        std::fs::write(root.join("left.txt"), "").unwrap();
        let new: Vec<String> = entries(root).difference(&before).cloned().collect();
        assert_eq!(new, ["left.txt"]);
        assert_eq!(changes(root).unwrap(), ["?? left.txt".to_owned()].into());
    }
}
