//! The folder of the halt: the flag file, and a status file for each engine that watches it.

use std::{
    fs, io,
    io::Write as _,
    os::unix::fs::OpenOptionsExt,
    path::{Path, PathBuf},
};

use deskhand_platform::{ProcessId, create_private_dirs, is_own_dir};
use serde::{Deserialize, Serialize};

/// The content of the flag file.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct Flag {
    /// An id that is unique for each halt.
    pub(super) id: String,
    /// The reason, if the user gave one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub(super) reason: Option<String>,
}

/// An engine that watches the flag.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct EngineEntry {
    pub(super) process: ProcessId,
    /// The id of its desktop, to release held keys and buttons there if the engine hangs.
    pub(super) desktop_id: Option<String>,
}

/// The content of an engine's status file.
#[derive(Debug, Serialize, Deserialize)]
struct EngineStatus {
    /// The id of the flag it acknowledged; empty if there is none.
    #[serde(rename = "seen")]
    acknowledged: String,
    #[serde(default, rename = "desktop", skip_serializing_if = "Option::is_none")]
    desktop_id: Option<String>,
}

impl EngineStatus {
    fn unreadable() -> Self {
        Self { acknowledged: "unreadable".to_owned(), desktop_id: None }
    }
}

/// The folder of the halt.
#[derive(Debug, Clone)]
pub(super) struct HaltFolder {
    pub(super) path: PathBuf,
}

impl HaltFolder {
    /// Creates the folder. Fails if another user could change its content.
    pub(super) fn create(&self) -> io::Result<()> {
        let engines = self.engines();
        create_private_dirs(&engines)?;
        for folder in [&self.path, &engines] {
            if !is_own_dir(folder, rustix::process::getuid().as_raw(), 0o022)? {
                return Err(io::Error::other(
                    "it belongs to another user, or other users can write to it",
                ));
            }
        }
        Ok(())
    }

    /// Returns the folder of the status files.
    pub(super) fn engines(&self) -> PathBuf {
        self.path.join("engines")
    }

    fn flag(&self) -> PathBuf {
        self.path.join("flag")
    }

    /// Reads the flag. A flag file that cannot be parsed counts as set.
    pub(super) fn read_flag(&self) -> Option<Flag> {
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

    /// Sets the flag.
    pub(super) fn set_flag(&self, flag: &Flag) -> io::Result<()> {
        self.create()?;
        let draft = self.path.join(format!("flag.{}", std::process::id()));
        let text = serde_json::to_vec(flag)?;
        write(&draft, &text)?;
        fs::rename(draft, self.flag())
    }

    /// Clears the flag; returns `false` if it was not set.
    pub(super) fn clear_flag(&self) -> io::Result<bool> {
        match fs::remove_file(self.flag()) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
            Err(error) => Err(error),
        }
    }

    /// Returns the status file of an engine.
    pub(super) fn status_file(&self, process: &ProcessId) -> PathBuf {
        self.engines().join(format!("{}.{}", process.pid, process.started))
    }

    /// Writes the status file of an engine: the id of the current flag, or nothing.
    pub(super) fn acknowledge(&self, engine: &EngineEntry, flag: Option<&Flag>) -> io::Result<()> {
        let acknowledged = flag.map_or(String::new(), |flag| flag.id.clone());
        let status = EngineStatus { acknowledged, desktop_id: engine.desktop_id.clone() };
        // Replaced by a rename: other processes poll the file and must always find one.
        let draft = self.engines().join(format!("seen.{}", engine.process.pid));
        write(&draft, &serde_json::to_vec(&status)?)?;
        fs::rename(draft, self.status_file(&engine.process))
    }

    /// Lists the engines that watch the flag, each with the flag id it acknowledged.
    pub(super) fn list_engines(&self) -> io::Result<Vec<(EngineEntry, String)>> {
        let entries = match fs::read_dir(self.engines()) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
            other => other?,
        };
        let mut all = Vec::new();
        for entry in entries {
            let path = entry?.path();
            // An engine that ends removes its file.
            if let Some(process) = process_of(&path)
                && let Ok(text) = fs::read(&path)
            {
                // A status that cannot be parsed acknowledges no flag.
                let status: EngineStatus =
                    serde_json::from_slice(&text).unwrap_or_else(|_| EngineStatus::unreadable());
                let engine = EngineEntry { process, desktop_id: status.desktop_id };
                all.push((engine, status.acknowledged));
            }
        }
        Ok(all)
    }
}

/// Parses the name of a status file.
fn process_of(path: &Path) -> Option<ProcessId> {
    let (pid, started) = path.file_name()?.to_str()?.split_once('.')?;
    Some(ProcessId { pid: pid.parse().ok()?, started: started.parse().ok()? })
}

fn write(path: &Path, bytes: &[u8]) -> io::Result<()> {
    let mut options = fs::OpenOptions::new();
    let mut file = options.write(true).create(true).truncate(true).mode(0o600).open(path)?;
    file.write_all(bytes)
}
