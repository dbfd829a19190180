//! Starts and records the processes that make up a desktop.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{ChildStdout, Command, Stdio};
use std::time::Instant;

use parking_lot::Mutex;

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::desktop_dir::DesktopDir;
use super::environment;
use super::error::{Error, Result};
use super::info::{Component, ComponentKind};
use super::process::Process;
use super::timing::START_TIMEOUT;

/// Gives the program the pipe as descriptor 3, because the X server closes 0 and 1, and the log as
/// 1 and 2.
const START_SCRIPT: &str = "exec 3>&1 1>&2; exec \"$@\"";

/// Starts the components of one desktop and records them.
pub(super) struct ComponentStarter<'a> {
    dir: &'a DesktopDir,
    id: &'a str,
    components: Mutex<Vec<Component>>,
}

/// A started process, and the pipe on which it reports through descriptor 3.
pub(super) struct StartedComponent {
    pub(super) process: Process,
    pub(super) report: ChildStdout,
}

impl<'a> ComponentStarter<'a> {
    pub(super) fn new(dir: &'a DesktopDir, id: &'a str) -> Self {
        Self { dir, id, components: Mutex::default() }
    }

    pub(super) fn dir(&self) -> &DesktopDir {
        self.dir
    }

    /// Starts a program of the desktop.
    pub(super) fn start(
        &self,
        kind: ComponentKind,
        program: &Path,
        arguments: &[&str],
        display: Option<&str>,
    ) -> Result<StartedComponent> {
        let name = file_name(program);
        let path = self.dir.log(&name);
        let log = File::create(&path).map_err(Error::io("create", &path))?;
        // A descriptor that the caller left open by mistake, such as a lock or a make job server,
        // would stay open as long as the desktop runs, and another process may wait for its end.
        close_fds::set_fds_cloexec_threadsafe(3, &[]);
        let mut child = Command::new("/bin/sh")
            .args(["-c", START_SCRIPT, "sh"])
            .arg(program)
            .args(arguments)
            .env_clear()
            .envs(environment::inherited(std::env::vars_os()))
            .envs(environment::without_display(self.dir, self.id))
            .envs(display.map(|display| ("DISPLAY", display)))
            .current_dir(self.dir.home())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            // The interrupt key of the caller's terminal must not reach the desktop.
            .process_group(0)
            .spawn()
            .map_err(Error::io("start", program))?;
        let process = self.add(kind, &name, child.id())?;
        let report = child.stdout.take().ok_or_else(|| self.failed(program, "it has no output"))?;
        Ok(StartedComponent { process, report })
    }

    /// Records a process of the desktop, also one that another process started.
    pub(super) fn add(&self, kind: ComponentKind, program: &str, pid: u32) -> Result<Process> {
        let process =
            Process::running(pid).ok_or_else(|| self.failed(Path::new(program), "it ended"))?;
        let component = Component { kind, program: program.to_owned(), process };
        self.components.lock().push(component);
        Ok(process)
    }

    /// Returns the recorded components, in the order they were started.
    pub(super) fn components(&self) -> Vec<Component> {
        self.components.lock().clone()
    }

    /// Waits for the first line that a program reports, which means that it is ready.
    pub(super) fn first_line(&self, program: &Path, report: &mut ChildStdout) -> Result<String> {
        let deadline = Instant::now() + START_TIMEOUT;
        let mut line = Vec::new();
        while !line.ends_with(b"\n") {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(self.failed(program, "it was not ready after 10 s"));
            }
            let timeout = Timespec::try_from(left).ok();
            let mut watched = [PollFd::new(&*report, PollFlags::IN)];
            // An interrupted or empty poll is repeated.
            if !poll(&mut watched, timeout.as_ref()).is_ok_and(|ready| ready > 0) {
                continue;
            }
            let mut byte = [0];
            match report.read(&mut byte) {
                Ok(0) => return Err(self.failed(program, "it ended")),
                Ok(_) => line.extend(byte),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) => return Err(self.failed(program, &error.to_string())),
            }
        }
        Ok(String::from_utf8_lossy(&line).trim().to_owned())
    }

    /// Creates the error for a program that did not start, with the end of its log.
    pub(super) fn failed(&self, program: &Path, reason: &str) -> Error {
        self.failed_with_log_of(program, program, reason)
    }

    /// Creates the error for a program that writes to the log of another program.
    pub(super) fn failed_with_log_of(&self, program: &Path, log: &Path, reason: &str) -> Error {
        let log = tail(&self.dir.log(&file_name(log)));
        Error::StartFailed { program: file_name(program), reason: reason.to_owned(), log }
    }
}

fn file_name(program: &Path) -> String {
    program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned()
}

/// Returns the last lines of a log, or an empty string if it cannot be read.
fn tail(path: &Path) -> String {
    const MAX_TAIL_BYTES: u64 = 2_048;
    const MAX_TAIL_LINES: usize = 12;
    let mut end = Vec::new();
    let read = File::open(path).and_then(|mut file| {
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(MAX_TAIL_BYTES)))?;
        file.take(MAX_TAIL_BYTES).read_to_end(&mut end)
    });
    // A log that cannot be read must not hide the original failure.
    if read.is_err() {
        return String::new();
    }
    let text = String::from_utf8_lossy(&end);
    let lines: Vec<_> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(MAX_TAIL_LINES)..].join("\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tail_is_the_last_lines() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("log");
        let text: String = (0..1_000).map(|n| format!("line {n}\n\n")).collect();
        std::fs::write(&path, text).unwrap();
        let tail = tail(&path);
        assert_eq!(tail.lines().count(), 12);
        assert!(tail.ends_with("line 999"), "{tail}");
        assert_eq!(super::tail(&folder.path().join("absent")), "");
    }
}
