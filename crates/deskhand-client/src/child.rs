//! A server that runs as a child process and speaks MCP over its standard streams.

use std::process::Stdio;

use rmcp::RoleClient;
use rmcp::transport::async_rw::AsyncRwTransport;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::{
    process::{Child, ChildStdin, ChildStdout, Command},
    time::{Instant, sleep},
};

use crate::{
    error::{Error, Result},
    timing::{CHILD_EXIT_TIMEOUT, CHILD_POLL_INTERVAL},
};

/// The standard streams of a child process.
pub(crate) type Streams = AsyncRwTransport<RoleClient, ChildStdout, ChildStdin>;

/// A child process in a separate process group. Dropping it kills the whole group.
pub(crate) struct ChildServer {
    child: Child,
}

impl ChildServer {
    /// Starts a program with its arguments.
    pub(crate) fn start(command_line: &[String]) -> Result<(Self, Streams)> {
        let program = command_line.first().cloned().unwrap_or_default();
        let failed = |reason: String| Error::ProgramStart { program: program.clone(), reason };
        let mut command = Command::new(&program);
        command.args(command_line.iter().skip(1)).process_group(0).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
        let (Some(output), Some(input)) = (child.stdout.take(), child.stdin.take()) else {
            return Err(failed("it has no streams".to_owned()));
        };
        Ok((Self { child }, AsyncRwTransport::new(output, input)))
    }

    /// Waits for the process to end, after its streams are closed. Then the rest of its group is killed.
    pub(crate) async fn end(self) {
        let deadline = Instant::now() + CHILD_EXIT_TIMEOUT;
        while Instant::now() < deadline && self.is_running() {
            sleep(CHILD_POLL_INTERVAL).await;
        }
    }

    fn group(&self) -> Option<Pid> {
        self.child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw)
    }

    /// Returns `true` while the process runs. It is not reaped here, so that the system does not reuse its
    /// process group id.
    fn is_running(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.group().is_some_and(|group| matches!(waitid(WaitId::Pid(group), options), Ok(None)))
    }
}

impl Drop for ChildServer {
    fn drop(&mut self) {
        if let Some(group) = self.group() {
            // This fails if the group is empty.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}
