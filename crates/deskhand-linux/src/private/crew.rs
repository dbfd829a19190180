//! The processes of a desktop in the making: each is started, recorded and watched here.

use std::fs::File;
use std::io::{ErrorKind, Read, Seek, SeekFrom};
use std::os::unix::process::CommandExt;
use std::path::Path;
use std::process::{ChildStdout, Command, Stdio};
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};

use super::environment;
use super::error::{Error, Result};
use super::info::{Component, Part};
use super::place::Place;
use super::process::Process;

/// How long any one part may take to come up.
pub(super) const PATIENCE: Duration = Duration::from_secs(10);

/// Gives the program the pipe as descriptor 3 (the X server closes 0 and 1 by itself), and its log
/// as 1 and 2.
const HAND_OVER: &str = "exec 3>&1 1>&2; exec \"$@\"";

/// Everything that was started for one desktop so far.
pub(super) struct Crew<'a> {
    place: &'a Place,
    id: &'a str,
    components: Mutex<Vec<Component>>,
}

/// A process that was started, and the pipe on which it reports through descriptor 3.
pub(super) struct Started {
    pub(super) process: Process,
    pub(super) report: ChildStdout,
}

impl<'a> Crew<'a> {
    pub(super) fn new(place: &'a Place, id: &'a str) -> Self {
        Self { place, id, components: Mutex::default() }
    }

    pub(super) fn place(&self) -> &Place {
        self.place
    }

    /// Starts a program in the desktop.
    pub(super) fn start(
        &self,
        part: Part,
        program: &Path,
        arguments: &[&str],
        display: Option<&str>,
    ) -> Result<Started> {
        let name = name_of(program);
        let path = self.place.log(&name);
        let log = File::create(&path).map_err(Error::io("create", &path))?;
        // What the caller left open by mistake, such as a lock or a make job server, would stay open
        // as long as the desktop is up, and somebody may wait for its end.
        close_fds::set_fds_cloexec_threadsafe(3, &[]);
        let mut child = Command::new("/bin/sh")
            .args(["-c", HAND_OVER, "sh"])
            .arg(program)
            .args(arguments)
            .env_clear()
            .envs(environment::inherited(std::env::vars_os()))
            .envs(environment::without_display(self.place, self.id))
            .envs(display.map(|display| ("DISPLAY", display)))
            .current_dir(self.place.home())
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(log)
            // The interrupt key of the caller's terminal is not for the desktop.
            .process_group(0)
            .spawn()
            .map_err(Error::io("start", program))?;
        let process = self.add(part, &name, child.id())?;
        let report = child.stdout.take().ok_or_else(|| self.failed(program, "it has no output"))?;
        Ok(Started { process, report })
    }

    /// Records a process of the desktop, whoever started it.
    pub(super) fn add(&self, part: Part, program: &str, pid: u32) -> Result<Process> {
        let process =
            Process::of(pid).ok_or_else(|| self.failed(Path::new(program), "it ended"))?;
        let component = Component { part, program: program.to_owned(), process };
        self.components.lock().unwrap_or_else(PoisonError::into_inner).push(component);
        Ok(process)
    }

    /// Lists what was recorded, in the order it was started.
    pub(super) fn components(&self) -> Vec<Component> {
        self.components.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// Waits for the first line a program reports; that is its way to say that it is ready.
    pub(super) fn first_line(&self, program: &Path, report: &mut ChildStdout) -> Result<String> {
        let deadline = Instant::now() + PATIENCE;
        let mut line = Vec::new();
        while !line.ends_with(b"\n") {
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Err(self.failed(program, "it is not ready after 10 s"));
            }
            let timeout = Timespec::try_from(left).ok();
            let mut watched = [PollFd::new(&*report, PollFlags::IN)];
            // An interrupted or empty wait goes round again.
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

    /// Makes the error for a program that did not come up, with the end of its log.
    pub(super) fn failed(&self, program: &Path, reason: &str) -> Error {
        self.failed_as_logged_by(program, program, reason)
    }

    /// The same for a program that writes into the log of another.
    pub(super) fn failed_as_logged_by(&self, program: &Path, log: &Path, reason: &str) -> Error {
        let log = tail(&self.place.log(&name_of(log)));
        Error::StartFailed { program: name_of(program), reason: reason.to_owned(), log }
    }
}

fn name_of(program: &Path) -> String {
    program.file_name().unwrap_or(program.as_os_str()).to_string_lossy().into_owned()
}

/// Reads the last lines of a log; empty when there is none.
fn tail(path: &Path) -> String {
    const BYTES: u64 = 2_048;
    const LINES: usize = 12;
    let mut end = Vec::new();
    let read = File::open(path).and_then(|mut file| {
        let length = file.metadata()?.len();
        file.seek(SeekFrom::Start(length.saturating_sub(BYTES)))?;
        file.take(BYTES).read_to_end(&mut end)
    });
    // A log that cannot be read must not hide the failure it was to explain.
    if read.is_err() {
        return String::new();
    }
    let text = String::from_utf8_lossy(&end);
    let lines: Vec<_> = text.lines().filter(|line| !line.trim().is_empty()).collect();
    lines[lines.len().saturating_sub(LINES)..].join("\n")
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
