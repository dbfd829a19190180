//! A private desktop that the measured build starts itself, so that its environment is measured too.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::OsStringExt;
use std::os::unix::process::CommandExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process_group};
use tempfile::TempDir;

use crate::timing::{DESKTOP_START_TIMEOUT, EXIT_WAIT};

/// Writes its environment to a file and lives until its standard input is closed.
const HOLDER: &str = "env -0 > \"$1.part\" && mv \"$1.part\" \"$1\"; cat > /dev/null";

/// Allows actions in every app, and turns rate limits off.
const SETTINGS: [(&str, &str); 2] = [
    ("security.toml", "[apps]\ndefault_write_blocked = false\n"),
    ("config.toml", "[rate_limits]\nrps = 0\nrpm = 0\nconcurrency = 0\nwrites_per_second = 0\n"),
];

/// A private desktop. It ends with this value, and also if this process is killed: its owner reads a pipe from
/// this process.
pub(crate) struct MeasuredDesktop {
    owner: Child,
    stdin: Option<ChildStdin>,
    env: Vec<(OsString, OsString)>,
    folder: TempDir,
}

impl MeasuredDesktop {
    /// Starts a desktop with the given build.
    pub(crate) fn start(binary: &Path) -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("unseen").tempdir()?;
        for (name, text) in SETTINGS {
            std::fs::write(folder.path().join(name), text)?;
        }
        let file = folder.path().join("environment");
        let mut command = Command::new(binary);
        command.args(["desktop", "run", "--size", "1280x900", "--", "sh", "-c", HOLDER, "sh"]);
        command.arg(&file).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
        let mut owner = command.process_group(0).spawn()?;
        let stdin = owner.stdin.take();
        let env = wait_for_file(&mut owner, &file)?;
        let mut desktop = Self { owner, stdin, env: parse_env(&env), folder };
        let settings = desktop.folder.path().as_os_str().to_owned();
        desktop.env.push(("DESKHAND_CONFIG_DIR".into(), settings));
        // The default is a store in memory, which no other process can read.
        desktop.env.push(("GSETTINGS_BACKEND".into(), "keyfile".into()));
        // For the commands of data files, which use the programs there.
        desktop.env.push(("UNSEEN".into(), super::script::folder().into_os_string()));
        Ok(desktop)
    }

    /// Returns the home folder of the desktop.
    pub(crate) fn home(&self) -> PathBuf {
        let home = self.env.iter().find(|(name, _)| name == "HOME");
        home.map(|(_, value)| PathBuf::from(value)).unwrap_or_default()
    }

    /// Returns a command that runs in the home folder of this desktop.
    pub(crate) fn command(&self, program: impl AsRef<std::ffi::OsStr>) -> Command {
        let mut command = Command::new(program);
        command.env_clear().envs(self.env.iter().cloned()).current_dir(self.home());
        command
    }

    /// Returns a command that runs a line in a shell.
    pub(crate) fn shell(&self, line: &str) -> Command {
        let mut command = self.command("sh");
        command.args(["-c", line]);
        command
    }

    fn end(&mut self) {
        // The desktop ends with its holder, which ends with its input.
        drop(self.stdin.take());
        let end = Instant::now() + EXIT_WAIT;
        while Instant::now() < end {
            if !matches!(self.owner.try_wait(), Ok(None)) {
                return;
            }
            std::thread::sleep(Duration::from_millis(10));
        }
        if let Some(group) = Pid::from_raw(self.owner.id().cast_signed()) {
            // The group may have ended. The next start removes what is left of the desktop.
            let _ = kill_process_group(group, Signal::KILL);
        }
        let _ = self.owner.wait();
    }
}

impl Drop for MeasuredDesktop {
    fn drop(&mut self) {
        self.end();
    }
}

fn wait_for_file(owner: &mut Child, file: &Path) -> io::Result<Vec<u8>> {
    let end = Instant::now() + DESKTOP_START_TIMEOUT;
    loop {
        if file.exists() {
            return std::fs::read(file);
        }
        if let Some(status) = owner.try_wait()? {
            return Err(io::Error::other(format!("the desktop ended during its start: {status}")));
        }
        if Instant::now() > end {
            // The owner may have ended.
            let _ = owner.kill();
            let _ = owner.wait();
            return Err(io::Error::other("the desktop did not start in time"));
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn parse_env(bytes: &[u8]) -> Vec<(OsString, OsString)> {
    let parse = |entry: &[u8]| {
        let at = entry.iter().position(|byte| *byte == b'=')?;
        let text = |part: &[u8]| OsString::from_vec(part.to_vec());
        Some((text(&entry[..at]), text(&entry[at + 1..])))
    };
    bytes.split(|byte| *byte == 0).filter_map(parse).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_may_contain_newlines_and_equal_signs() {
        let pairs = parse_env(b"A=1\0B=x=y\nz\0");
        assert_eq!(pairs, [("A".into(), "1".into()), ("B".into(), "x=y\nz".into())]);
    }
}
