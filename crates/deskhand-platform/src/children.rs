//! Programs that were started here and may outlive this one: how they ended, and what they said last.

use std::{
    collections::HashMap,
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    os::unix::{fs::OpenOptionsExt, process::ExitStatusExt},
    path::Path,
    process::{Command, ExitStatus, Stdio},
    sync::{
        Arc, Mutex, OnceLock, PoisonError,
        atomic::{AtomicU32, Ordering},
    },
};

use crate::{Error, Fate, Process, Result};

/// How much of what a program complained about is read, and how many lines are told.
const HEARD: u64 = 4096;
const LINES: usize = 5;

/// The programs that were started here.
#[derive(Default)]
pub struct Children {
    known: Mutex<HashMap<Process, Arc<Started>>>,
    /// Variables that programs must not see.
    secrets: Vec<String>,
}

struct Started {
    ended: OnceLock<ExitStatus>,
    log: Option<File>,
}

impl Children {
    /// Programs are started without some variables.
    pub fn without(secrets: Vec<String>) -> Self {
        Self { secrets, ..Self::default() }
    }

    /// Starts a command and remembers it; `name` is what a person calls it, and `started` tells when a
    /// process started.
    ///
    /// # Errors
    ///
    /// `Unsupported` when it cannot be started.
    pub fn start(
        &self,
        name: &str,
        mut command: Command,
        started: impl FnOnce(u32) -> u64,
    ) -> Result<Process> {
        let failed = |error: &io::Error| Error::Unsupported {
            what: format!("starting {name}"),
            why: error.to_string(),
        };
        for name in &self.secrets {
            command.env_remove(name);
        }
        // Without a place to write to, the program starts all the same.
        let log = complaints(&std::env::temp_dir()).ok();
        match log.as_ref().and_then(|log| log.try_clone().ok()) {
            Some(log) => command.stderr(log),
            None => command.stderr(Stdio::null()),
        };
        let mut child = command.spawn().map_err(|error| failed(&error))?;
        let pid = child.id();
        let process = Process { pid, started: started(pid) };
        let started = Arc::new(Started { ended: OnceLock::new(), log });
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        known.insert(process, Arc::clone(&started));
        drop(known);
        // Waiting is what keeps a program that ended from staying as a zombie.
        let waiter = std::thread::Builder::new().name(format!("wait for {pid}")).spawn(move || {
            if let Ok(status) = child.wait() {
                // Nobody else sets it.
                let _set = started.ended.set(status);
            }
        });
        waiter.map(|_| process).map_err(|error| failed(&error))
    }

    /// What became of a process; `None` when it was not started here.
    pub fn fate(&self, process: &Process) -> Option<Fate> {
        let known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let started = Arc::clone(known.get(process)?);
        drop(known);
        let Some(status) = started.ended.get() else { return Some(Fate::Runs) };
        let last_words = started.log.as_ref().map(last_words).unwrap_or_default();
        Some(Fate::Ended { code: status.code(), signal: status.signal(), last_words })
    }
}

/// A file without a name for what a program complains about. It may be written to long after this
/// program ended, which a pipe could not; it is gone when the last that holds it is.
fn complaints(folder: &Path) -> io::Result<File> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = folder.join(format!("deskhand-open-{}-{count}", std::process::id()));
    let file = File::options().read(true).append(true).create_new(true).mode(0o600).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

fn last_words(mut log: &File) -> Vec<String> {
    let mut heard = Vec::new();
    let length = log.metadata().map(|meta| meta.len()).unwrap_or(0);
    let read = log
        .seek(SeekFrom::Start(length.saturating_sub(HEARD)))
        .and_then(|_| log.take(HEARD).read_to_end(&mut heard));
    if read.is_err() {
        return Vec::new();
    }
    let text = String::from_utf8_lossy(&heard);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let first = lines.len().saturating_sub(LINES);
    lines.into_iter().skip(first).map(str::to_owned).collect()
}
