//! The folder a halt is told in: the flag, and a file for each engine that looks for it.

use std::{
    fs, io,
    io::Write as _,
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use deskhand_platform::Process;
use serde::{Deserialize, Serialize};

/// What a flag says.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Flag {
    /// What tells one halt from the next.
    pub(super) id: String,
    /// Why, where a reason was given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
}

/// An engine that looks for the flag, as it says itself.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Engine {
    pub(super) process: Process,
    /// What the desktop it acts on is called: if it hangs, what it holds down there is let go of.
    pub(super) desktop: Option<String>,
}

/// What the file of an engine says.
#[derive(Debug, Serialize, Deserialize)]
struct Word {
    /// The id of the flag it has seen, or nothing.
    seen: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    desktop: Option<String>,
}

impl Word {
    fn unknown() -> Self {
        Self { seen: "unreadable".to_owned(), desktop: None }
    }
}

/// The folder.
#[derive(Debug, Clone)]
pub(super) struct Place {
    pub(super) folder: PathBuf,
}

impl Place {
    /// Makes the folder where it is not there; fails when somebody else could change what is in it.
    pub(super) fn make(&self) -> io::Result<()> {
        let mut how = fs::DirBuilder::new();
        how.recursive(true).mode(0o700).create(self.engines())?;
        let probe = self.engines();
        for folder in [&self.folder, &probe] {
            let found = fs::symlink_metadata(folder)?;
            let own = found.uid() == rustix::process::getuid().as_raw();
            if !found.is_dir() || !own || found.mode() & 0o022 != 0 {
                return Err(io::Error::other("it is not yours, or others may write to it"));
            }
        }
        Ok(())
    }

    /// The folder of the engines' files.
    pub(super) fn engines(&self) -> PathBuf {
        self.folder.join("engines")
    }

    fn flag(&self) -> PathBuf {
        self.folder.join("flag")
    }

    /// The flag that is up. One that cannot be read is up all the same.
    pub(super) fn read(&self) -> Option<Flag> {
        match fs::read(self.flag()) {
            Ok(text) => Some(
                serde_json::from_slice(&text)
                    .unwrap_or(Flag { id: "unreadable".to_owned(), reason: None }),
            ),
            Err(error) if error.kind() == io::ErrorKind::NotFound => None,
            Err(error) if error.kind() == io::ErrorKind::NotADirectory => None,
            Err(error) => {
                Some(Flag { id: "unreadable".to_owned(), reason: Some(error.to_string()) })
            }
        }
    }

    /// Raises a flag.
    pub(super) fn raise(&self, flag: &Flag) -> io::Result<()> {
        self.make()?;
        let draft = self.folder.join(format!("flag.{}", std::process::id()));
        let text = serde_json::to_vec(flag)?;
        write(&draft, &text)?;
        fs::rename(draft, self.flag())
    }

    /// Takes the flag down; whether it was up.
    pub(super) fn lower(&self) -> io::Result<bool> {
        match fs::remove_file(self.flag()) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// The file of an engine.
    pub(super) fn engine(&self, process: &Process) -> PathBuf {
        self.engines().join(format!("{}.{}", process.pid, process.started))
    }

    /// Says what an engine has seen: the id of the flag that is up, or nothing.
    pub(super) fn acknowledge(&self, engine: &Engine, seen: Option<&Flag>) -> io::Result<()> {
        let seen = seen.map_or(String::new(), |flag| flag.id.clone());
        let word = Word { seen, desktop: engine.desktop.clone() };
        // Others wait for the last word, so there must be no moment without one.
        let draft = self.engines().join(format!("seen.{}", engine.process.pid));
        write(&draft, &serde_json::to_vec(&word)?)?;
        fs::rename(draft, self.engine(&engine.process))
    }

    /// The engines that look for the flag, each with the id of the one it has seen.
    pub(super) fn all(&self) -> io::Result<Vec<(Engine, String)>> {
        let entries = match fs::read_dir(self.engines()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other?,
        };
        let mut all = Vec::new();
        for entry in entries {
            let path = entry?.path();
            // An engine that ends takes its file along.
            if let Some(process) = named(&path)
                && let Ok(text) = fs::read(&path)
            {
                // One that says nothing that makes sense has seen no flag.
                let word = serde_json::from_slice(&text).unwrap_or_else(|_| Word::unknown());
                all.push((Engine { process, desktop: word.desktop }, word.seen));
            }
        }
        Ok(all)
    }
}

fn named(path: &Path) -> Option<Process> {
    let (pid, started) = path.file_name()?.to_str()?.split_once('.')?;
    Some(Process { pid: pid.parse().ok()?, started: started.parse().ok()? })
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut how = fs::OpenOptions::new();
    let mut file = how.write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(bytes)
}
