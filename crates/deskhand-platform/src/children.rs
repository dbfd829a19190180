//! Child processes that may outlive this program: their exit status and their last error output.

use std::{
    collections::HashMap,
    fs::File,
    io::{self, Read, Seek, SeekFrom},
    os::unix::{fs::OpenOptionsExt, process::ExitStatusExt},
    path::Path,
    process::{Command, ExitStatus, Stdio},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU32, Ordering},
    },
};

use parking_lot::Mutex;

use crate::{Error, ProcessId, ProcessStatus, Result};

/// The number of bytes read from the end of a child's standard error.
const MAX_STDERR_BYTES: u64 = 4096;
/// The number of lines reported from a child's standard error.
const MAX_STDERR_LINES: usize = 5;

/// The child processes that this program started.
#[derive(Default)]
pub struct ChildProcesses {
    children: Mutex<HashMap<ProcessId, Arc<Child>>>,
    /// Environment variables that children do not inherit.
    hidden_env: Vec<String>,
}

struct Child {
    exit_status: OnceLock<ExitStatus>,
    stderr: Option<File>,
}

impl ChildProcesses {
    /// Starts all children without these environment variables.
    pub fn without_env(names: Vec<String>) -> Self {
        Self { hidden_env: names, ..Self::default() }
    }

    /// Starts a command and keeps track of it. `name` is used in errors; `start_time` returns the
    /// start time of a process.
    ///
    /// # Errors
    ///
    /// `Unsupported` if the command cannot be started.
    pub fn start(
        &self,
        name: &str,
        mut command: Command,
        start_time: impl FnOnce(u32) -> u64,
    ) -> Result<ProcessId> {
        let failed = |error: &io::Error| Error::Unsupported {
            what: format!("starting {name}"),
            why: error.to_string(),
        };
        for name in &self.hidden_env {
            command.env_remove(name);
        }
        // The program starts even if there is no file for its error output.
        let stderr = unnamed_file(&std::env::temp_dir()).ok();
        match stderr.as_ref().and_then(|file| file.try_clone().ok()) {
            Some(file) => command.stderr(file),
            None => command.stderr(Stdio::null()),
        };
        let mut process = command.spawn().map_err(|error| failed(&error))?;
        let pid = process.id();
        let id = ProcessId { pid, started: start_time(pid) };
        let child = Arc::new(Child { exit_status: OnceLock::new(), stderr });
        self.children.lock().insert(id, Arc::clone(&child));
        // A process that ended stays a zombie until its parent waits for it.
        let waiter = std::thread::Builder::new().name(format!("wait for {pid}")).spawn(move || {
            if let Ok(status) = process.wait() {
                // Only this thread sets the status, so this cannot fail.
                let _set = child.exit_status.set(status);
            }
        });
        waiter.map(|_| id).map_err(|error| failed(&error))
    }

    /// Returns the status of a process; `None` if it was not started here.
    pub fn status(&self, process: &ProcessId) -> Option<ProcessStatus> {
        let child = Arc::clone(self.children.lock().get(process)?);
        let Some(status) = child.exit_status.get() else { return Some(ProcessStatus::Running) };
        let last_stderr = child.stderr.as_ref().map(last_lines).unwrap_or_default();
        Some(ProcessStatus::Exited { code: status.code(), signal: status.signal(), last_stderr })
    }
}

/// Creates a file without a name for the error output of a child. Unlike a pipe, the child can
/// write to it after this program has exited. The system deletes it when the last process closes it.
fn unnamed_file(folder: &Path) -> io::Result<File> {
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    let path = folder.join(format!("deskhand-open-{}-{count}", std::process::id()));
    let file = File::options().read(true).append(true).create_new(true).mode(0o600).open(&path)?;
    std::fs::remove_file(&path)?;
    Ok(file)
}

fn last_lines(mut file: &File) -> Vec<String> {
    let mut bytes = Vec::new();
    let length = file.metadata().map(|meta| meta.len()).unwrap_or(0);
    let read = file
        .seek(SeekFrom::Start(length.saturating_sub(MAX_STDERR_BYTES)))
        .and_then(|_| file.take(MAX_STDERR_BYTES).read_to_end(&mut bytes));
    if read.is_err() {
        return Vec::new();
    }
    let text = String::from_utf8_lossy(&bytes);
    let lines: Vec<&str> = text.lines().map(str::trim).filter(|line| !line.is_empty()).collect();
    let first = lines.len().saturating_sub(MAX_STDERR_LINES);
    lines.into_iter().skip(first).map(str::to_owned).collect()
}
