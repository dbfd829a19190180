//! What a sandbox holds to, stated once for every platform.

use std::{
    collections::BTreeMap,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use serde::{Deserialize, Serialize};

use crate::{Error, toolchains};

/// What a sandbox holds to.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Plan {
    /// The folder that may be read and written, without links.
    pub scope: PathBuf,
    /// What else may be read: tools that are kept outside the folders of the system.
    pub readable: Vec<PathBuf>,
    /// What else may be read and seems to be written: that is kept apart, and for this sandbox alone.
    pub layered: Vec<PathBuf>,
    /// The home folder: one of this sandbox alone is in its place.
    pub home: Option<PathBuf>,
    /// Files in that home, with what is in them.
    pub settings: BTreeMap<PathBuf, String>,
    /// What of the scope can only be read.
    pub fixed: Vec<PathBuf>,
    /// The device and the number of the scope: a link in its place is another.
    pub identity: (u64, u64),
    /// What of the network can be reached.
    pub network: Network,
    /// How much may be used.
    pub bounds: Bounds,
    /// Every variable a program gets that asks for none.
    pub environment: BTreeMap<String, String>,
}

/// What of the network can be reached.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Network {
    /// Nothing, by any protocol; not even this machine.
    Off,
    /// Everything.
    On,
    /// TCP to these ports.
    Ports(Vec<u16>),
}

/// How much one program, with all it starts, may use.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// Bytes of address space of one process; 0 is any.
    pub memory: u64,
    /// Processes and threads; 0 is any.
    pub processes: u64,
    /// Bytes of one file; 0 is any.
    pub file_size: u64,
    /// Seconds of processor time of one process; 0 is any.
    pub seconds: u64,
}

impl Default for Bounds {
    fn default() -> Self {
        Self { memory: 0, processes: 1024, file_size: 0, seconds: 0 }
    }
}

impl Plan {
    /// A plan for a folder, which must be there, with the tools this process itself can run.
    ///
    /// # Errors
    ///
    /// When it is no folder, or so much is in it that it would protect nothing.
    pub fn new(scope: &Path) -> Result<Self, Error> {
        let unusable = |why: String| Error::Scope { folder: scope.to_owned(), why };
        let real = scope.canonicalize().map_err(|why| unusable(why.to_string()))?;
        if !real.is_dir() {
            return Err(unusable("it is no folder".to_owned()));
        }
        if is_too_much(&real) {
            return Err(unusable("it is the system's, or everybody's".to_owned()));
        }
        let tools = toolchains::found(&|name| std::env::var(name).ok());
        if tools.home.as_ref() == Some(&real) {
            return Err(unusable("it is your home, with everything that is yours".to_owned()));
        }
        // A home that lies in the scope is not hidden: it is asked for.
        let home = tools.home.filter(|home| !home.starts_with(&real));
        let of_home = |path: &PathBuf| home.as_ref().is_some_and(|home| path.starts_with(home));
        let meta = real.metadata().map_err(|why| unusable(why.to_string()))?;
        let fixed = FIXED.iter().map(|name| real.join(name)).filter(|path| path.is_dir());
        Ok(Self {
            fixed: fixed.collect(),
            identity: (meta.dev(), meta.ino()),
            readable: tools.readable,
            layered: tools.layered,
            settings: tools.settings.into_iter().filter(|(path, _)| of_home(path)).collect(),
            environment: tools.environment,
            network: Network::Off,
            bounds: Bounds::default(),
            scope: real,
            home,
        })
    }

    /// The folders between the scope and what is fixed in it, those above first. Whoever could move one would
    /// have another in the place of what is fixed.
    pub(crate) fn on_the_way(&self) -> Vec<PathBuf> {
        let above = |path: &PathBuf| path.parent().map(Path::to_owned);
        let all = self.fixed.iter().filter_map(above).flat_map(|folder| {
            let below = folder.ancestors().take_while(|one| *one != self.scope);
            below.map(Path::to_owned).collect::<Vec<_>>()
        });
        let mut all: Vec<PathBuf> = all.filter(|path| path.starts_with(&self.scope)).collect();
        all.sort_unstable();
        all.dedup();
        all
    }
}

/// Folders of a scope that say what the server offers: whoever runs in it must not say that.
pub(crate) const FIXED: &[&str] = &[".deskhand", ".ahma"];

/// Folders a scope must not be: with one of them nothing is left that is not in it.
const TOO_MUCH: &[&str] = &[
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

/// Folders of the system no scope lies in.
const SYSTEM: &[&str] = &[
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

/// Folders in them that are for projects all the same.
const SOURCES: &[&str] = &["/usr/src", "/usr/local/src"];

fn is_too_much(folder: &Path) -> bool {
    let below = |all: &[&str]| all.iter().any(|one| folder.starts_with(one));
    TOO_MUCH.iter().any(|one| folder == Path::new(one)) || below(SYSTEM) && !below(SOURCES)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_is_a_folder_without_links_and_not_the_whole_system() -> std::io::Result<()> {
        let place = tempfile::tempdir()?;
        let real = place.path().canonicalize()?;
        std::fs::create_dir(real.join("in"))?;
        std::os::unix::fs::symlink(real.join("in"), real.join("link"))?;
        std::fs::write(real.join("file"), "")?;
        let scope = |name: &str| Plan::new(&real.join(name)).map(|plan| plan.scope);
        assert_eq!(scope("link").ok(), Some(real.join("in")));
        assert!(scope("file").is_err() && scope("nowhere").is_err());
        for folder in
            ["/", "/usr", "/home/../usr", "/usr/bin", "/etc/ssl", "/tmp", "/dev/shm", "/proc/self"]
        {
            assert!(Plan::new(Path::new(folder)).is_err(), "{folder}");
        }
        Ok(())
    }
}
