//! The broker process. It outlives a server that was killed, until it has killed the programs of that server.

use std::{
    io::{self, BufRead, PipeWriter, Write},
    process::{Child, Command, Stdio},
};

use parking_lot::Mutex;

use super::processes;
use crate::{
    BrokerCommand,
    seatbelt::{
        family::{apply_line, end_line, start_line},
        tag::ContainerTag,
    },
};

/// Runs the broker of the server at the other end of standard input. Never returns.
pub fn run_broker() -> ! {
    // Leave the session of the server, so that a signal to that session does not end the broker. The call fails
    // if the broker already leads a session, which serves the same purpose.
    let _ = rustix::process::setsid();
    let mut running = Vec::new();
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        apply_line(&line, &mut running);
    }
    for (leader, tag) in running {
        processes::kill_family(leader, tag.as_ref());
    }
    std::process::exit(0)
}

/// The server's connection to its broker.
#[derive(Debug)]
pub(super) struct BrokerHandle {
    broker: Child,
    pipe: Mutex<Option<PipeWriter>>,
}

impl BrokerHandle {
    pub(super) fn start(broker_command: &BrokerCommand) -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        let broker = Command::new(&broker_command.program)
            .arg(&broker_command.argument)
            .env_clear()
            .current_dir("/")
            .stdin(reader)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Self { broker, pipe: Mutex::new(Some(writer)) })
    }

    /// Reports that a program has started.
    pub(super) fn report_start(&self, pid: i32, tag: &ContainerTag) -> io::Result<()> {
        self.send(&start_line(pid, tag))
    }

    /// Reports that a program and its descendants have ended.
    pub(super) fn report_end(&self, pid: i32) {
        // A broker that is gone needs no report.
        let _ = self.send(&end_line(pid));
    }

    fn send(&self, text: &str) -> io::Result<()> {
        let mut pipe = self.pipe.lock();
        match pipe.as_mut() {
            Some(pipe) => pipe.write_all(text.as_bytes()),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

impl Drop for BrokerHandle {
    fn drop(&mut self) {
        drop(self.pipe.get_mut().take());
        // The broker may have ended before.
        let _ = self.broker.wait();
    }
}
