//! A program that is a server on its own streams; it and what it starts end with this value.

use std::{process::Stdio, time::Duration};

use rmcp::RoleClient;
use rmcp::transport::async_rw::AsyncRwTransport;
use rustix::process::{Pid, Signal, WaitId, WaitIdOptions, kill_process_group, waitid};
use tokio::{
    process::{Child, ChildStdin, ChildStdout, Command},
    time::{Instant, sleep},
};

use crate::error::{Error, Result};

/// How often it is looked whether it has ended.
const LOOK: Duration = Duration::from_millis(10);
/// How long it has to end by itself.
const FAREWELL: Duration = Duration::from_secs(1);

/// The streams of a program.
pub(crate) type Streams = AsyncRwTransport<RoleClient, ChildStdout, ChildStdin>;

/// A program in a process group of its own.
pub(crate) struct Program {
    child: Child,
}

impl Program {
    /// Starts it.
    pub(crate) fn start(words: &[String]) -> Result<(Self, Streams)> {
        let program = words.first().cloned().unwrap_or_default();
        let failed = |why: String| Error::Program { program: program.clone(), why };
        let mut command = Command::new(&program);
        command.args(words.iter().skip(1)).process_group(0).kill_on_drop(true);
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
        let mut child = command.spawn().map_err(|error| failed(error.to_string()))?;
        let (Some(output), Some(input)) = (child.stdout.take(), child.stdin.take()) else {
            return Err(failed("it has no streams".to_owned()));
        };
        Ok((Self { child }, AsyncRwTransport::new(output, input)))
    }

    /// Waits a little for it to end, now that its streams are closed, and ends what is left.
    pub(crate) async fn end(self) {
        let until = Instant::now() + FAREWELL;
        while Instant::now() < until && self.is_running() {
            sleep(LOOK).await;
        }
    }

    fn group(&self) -> Option<Pid> {
        self.child.id().and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw)
    }

    /// Whether it runs. It is not reaped by this, so that the number of its group stays its own.
    fn is_running(&self) -> bool {
        let options = WaitIdOptions::EXITED | WaitIdOptions::NOHANG | WaitIdOptions::NOWAIT;
        self.group().is_some_and(|group| matches!(waitid(WaitId::Pid(group), options), Ok(None)))
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        if let Some(group) = self.group() {
            // Nobody may be left in it.
            let _ = kill_process_group(group, Signal::KILL);
        }
    }
}
