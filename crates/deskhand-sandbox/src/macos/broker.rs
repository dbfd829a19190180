//! The broker: a process that outlives a server that was killed, for as long as it takes to end what that
//! server was running.

use std::{
    io::{self, BufRead, PipeWriter, Write},
    process::{Child, Command, Stdio},
    sync::{Mutex, PoisonError},
};

use super::processes;
use crate::{
    Broker,
    seatbelt::{
        family::{began, ended, heard},
        mark::Mark,
    },
};

/// Lives as the broker of the server at the other end of standard input; never returns.
pub fn broker() -> ! {
    // Out of the server's session: what ends that from outside must not end this. A broker that leads one
    // already is out of it.
    let _ = rustix::process::setsid();
    let mut running = Vec::new();
    for line in io::stdin().lock().lines().map_while(Result::ok) {
        heard(&line, &mut running);
    }
    for (leader, mark) in running {
        processes::end(leader, mark.as_ref());
    }
    std::process::exit(0)
}

/// The server's end of its broker.
#[derive(Debug)]
pub(super) struct Watcher {
    broker: Child,
    line: Mutex<Option<PipeWriter>>,
}

impl Watcher {
    pub(super) fn start(by: &Broker) -> io::Result<Self> {
        let (reader, writer) = io::pipe()?;
        let broker = Command::new(&by.program)
            .arg(&by.word)
            .env_clear()
            .current_dir("/")
            .stdin(reader)
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()?;
        Ok(Self { broker, line: Mutex::new(Some(writer)) })
    }

    /// Says that a program began.
    pub(super) fn began(&self, pid: i32, mark: &Mark) -> io::Result<()> {
        self.say(&began(pid, mark))
    }

    /// Says that one has ended with all it started.
    pub(super) fn ended(&self, pid: i32) {
        // A broker that is gone keeps no list.
        let _ = self.say(&ended(pid));
    }

    fn say(&self, words: &str) -> io::Result<()> {
        let mut line = self.line.lock().unwrap_or_else(PoisonError::into_inner);
        match line.as_mut() {
            Some(line) => line.write_all(words.as_bytes()),
            None => Err(io::ErrorKind::BrokenPipe.into()),
        }
    }
}

impl Drop for Watcher {
    fn drop(&mut self) {
        drop(self.line.get_mut().unwrap_or_else(PoisonError::into_inner).take());
        // It may have ended before.
        let _ = self.broker.wait();
    }
}
