//! The rules of a sandbox, independent of the platform.

use std::{
    collections::BTreeMap,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{Error, toolchains};

/// The rules of a sandbox.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The folder that programs may read and write. Symbolic links are resolved.
    pub scope: PathBuf,
    /// Further folders that programs may read, such as toolchains outside the system folders.
    pub readable: Vec<PathBuf>,
    /// Further folders that programs may read and write through an overlay: changes stay private to this
    /// sandbox.
    pub overlays: Vec<PathBuf>,
    /// The user's home folder. The sandbox shows its own private home at this path.
    pub home: Option<PathBuf>,
    /// Files to create in the private home: path and content.
    pub home_files: BTreeMap<PathBuf, String>,
    /// Folders inside the scope that programs may only read.
    pub read_only: Vec<PathBuf>,
    /// Device and inode number of the scope. They reveal that another folder was put in its place.
    pub scope_identity: (u64, u64),
    /// The network access of programs.
    pub network: Network,
    /// The resource limits of each program.
    pub limits: ResourceLimits,
    /// The environment of every program. A request can add variables.
    pub environment: BTreeMap<String, String>,
}

/// The network access of programs.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// None, by any protocol, not even to this machine.
    Off,
    /// Unrestricted.
    On,
    /// Only TCP connections to these ports.
    Ports(Vec<u16>),
}

/// The resource limits of one program and its descendants. 0 means unlimited.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct ResourceLimits {
    /// Address space of one process, in bytes.
    pub memory: u64,
    /// Number of processes and threads.
    pub processes: u64,
    /// Size of one file, in bytes.
    pub file_size: u64,
    /// Processor time of one process, in seconds.
    pub cpu_seconds: u64,
}

impl Default for ResourceLimits {
    fn default() -> Self {
        Self { memory: 0, processes: 1024, file_size: 0, cpu_seconds: 0 }
    }
}

impl Plan {
    /// Creates a plan for an existing folder. Toolchains that this process can run are readable.
    ///
    /// # Errors
    ///
    /// Fails if `scope` is not a folder, or is so broad that a sandbox would protect nothing.
    pub fn new(scope: &Path) -> Result<Self, Error> {
        let invalid = |reason: String| Error::InvalidScope { folder: scope.to_owned(), reason };
        let scope_path = scope.canonicalize().map_err(|reason| invalid(reason.to_string()))?;
        if !scope_path.is_dir() {
            return Err(invalid("it is not a folder".to_owned()));
        }
        if is_too_broad(&scope_path) {
            return Err(invalid("it is a system folder or a shared folder".to_owned()));
        }
        let tools = toolchains::detect(&|name| std::env::var(name).ok());
        if tools.home.as_ref() == Some(&scope_path) {
            return Err(invalid("it is your whole home folder".to_owned()));
        }
        // A home inside the scope stays visible: the caller asked for it.
        let home = tools.home.filter(|home| !home.starts_with(&scope_path));
        let is_in_home = |path: &PathBuf| home.as_ref().is_some_and(|home| path.starts_with(home));
        let meta = scope_path.metadata().map_err(|reason| invalid(reason.to_string()))?;
        let read_only =
            READ_ONLY_DIRS.iter().map(|name| scope_path.join(name)).filter(|path| path.is_dir());
        Ok(Self {
            read_only: read_only.collect(),
            scope_identity: (meta.dev(), meta.ino()),
            readable: tools.readable,
            overlays: tools.overlays,
            home_files: tools.home_files.into_iter().filter(|(path, _)| is_in_home(path)).collect(),
            environment: tools.environment,
            network: Network::Off,
            limits: ResourceLimits::default(),
            scope: scope_path,
            home,
        })
    }

    /// Returns the folders between the scope and each read-only folder, parents first. A program that could
    /// rename one of them could put another folder in place of the read-only one.
    pub(crate) fn ancestors_of_read_only(&self) -> Vec<PathBuf> {
        let above = |path: &PathBuf| path.parent().map(Path::to_owned);
        let all = self.read_only.iter().filter_map(above).flat_map(|folder| {
            let below = folder.ancestors().take_while(|one| *one != self.scope);
            below.map(Path::to_owned).collect::<Vec<_>>()
        });
        let mut all: Vec<PathBuf> = all.filter(|path| path.starts_with(&self.scope)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Folders of a scope that configure the server. Programs in the sandbox must not change them.
pub(crate) const READ_ONLY_DIRS: &[&str] = &[".deskhand", ".ahma"];

/// Folders that are too broad for a scope.
const TOO_BROAD: &[&str] = &[
    "/",
    "/home",
    "/opt",
    "/root",
    "/srv",
    "/mnt",
    "/media",
    "/nix",
    "/var",
    "/var/lib",
    "/var/log",
    "/tmp",
    "/var/tmp",
    "/System",
    "/Library",
    "/Users",
    "/Applications",
    "/Volumes",
    "/private",
    "/private/tmp",
    "/private/var",
    "/private/var/folders",
    "/private/var/tmp",
];

/// System folders. A scope must not lie inside one of them.
const SYSTEM_DIRS: &[&str] = &[
    "/bin",
    "/boot",
    "/dev",
    "/etc",
    "/lib",
    "/lib32",
    "/lib64",
    "/libx32",
    "/proc",
    "/run",
    "/sbin",
    "/sys",
    "/usr",
    "/var/run",
    "/var/spool",
    "/private/etc",
    "/private/var/db",
    "/private/var/run",
    "/System",
    "/Library",
];

/// Exceptions: project folders inside [`SYSTEM_DIRS`].
const SOURCE_DIRS: &[&str] = &["/usr/src", "/usr/local/src"];

fn is_too_broad(folder: &Path) -> bool {
    let below = |all: &[&str]| all.iter().any(|one| folder.starts_with(one));
    TOO_BROAD.iter().any(|one| folder == Path::new(one))
        || below(SYSTEM_DIRS) && !below(SOURCE_DIRS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scope_is_resolved_and_must_not_be_a_system_folder() -> std::io::Result<()> {
        let place = tempfile::tempdir()?;
        let scope_path = place.path().canonicalize()?;
        std::fs::create_dir(scope_path.join("in"))?;
        std::os::unix::fs::symlink(scope_path.join("in"), scope_path.join("link"))?;
        std::fs::write(scope_path.join("file"), "")?;
        let scope = |name: &str| Plan::new(&scope_path.join(name)).map(|plan| plan.scope);
        assert_eq!(scope("link").ok(), Some(scope_path.join("in")));
        assert!(scope("file").is_err() && scope("nowhere").is_err());
        for folder in
            ["/", "/usr", "/home/../usr", "/usr/bin", "/etc/ssl", "/tmp", "/dev/shm", "/proc/self"]
        {
            assert!(Plan::new(Path::new(folder)).is_err(), "{folder}");
        }
        Ok(())
    }
}
