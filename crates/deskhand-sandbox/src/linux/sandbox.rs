//! The server's side of a sandbox.

use std::{
    io,
    os::fd::{AsFd, OwnedFd},
    path::Path,
    process::{Child, Command, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
};

use rustix::{
    io::Errno,
    process::{Signal, pidfd_send_signal},
};

use super::{
    broker,
    cell::{self, Ended, Request},
    wire,
};
use crate::{Error, Plan};

/// Runs programs held to one plan.
pub struct Sandbox {
    connection: Mutex<OwnedFd>,
    broker: Child,
}

/// A place for one program, held to the plan before it begins.
#[derive(Debug)]
pub struct Cell {
    socket: OwnedFd,
    process: OwnedFd,
}

impl Sandbox {
    /// Starts the broker of a plan: `program` with the word that makes it call [`super::broker`].
    ///
    /// # Errors
    ///
    /// When the kernel cannot enforce the plan.
    pub fn start(plan: &Plan, program: &Path, word: &str) -> Result<Self, Error> {
        let gone = |why: io::Error| Error::Gone { why: why.to_string() };
        let (ours, theirs) = wire::pair().map_err(gone)?;
        let broker = Command::new(program)
            .arg(word)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(gone)?;
        let sandbox = Self { connection: Mutex::new(ours), broker };
        let connection = sandbox.connection();
        let message = wire::written(plan).map_err(gone)?;
        wire::send(&*connection, b"plan", &[message.as_fd()]).map_err(gone)?;
        match wire::receive(&*connection).map_err(gone)? {
            Some((words, _)) if words == broker::READY => {}
            Some((words, _)) => {
                return Err(Error::Unenforced { why: String::from_utf8_lossy(&words).into_owned() });
            }
            None => return Err(Error::Unenforced { why: "its broker ended at once".to_owned() }),
        }
        drop(connection);
        Ok(sandbox)
    }

    /// A cell that is ready for a program.
    ///
    /// # Errors
    ///
    /// When the broker is gone, or the kernel does not hold what it held before.
    pub fn cell(&self) -> Result<Cell, Error> {
        let gone = |why: io::Error| Error::Gone { why: why.to_string() };
        let connection = self.connection();
        wire::send(&*connection, broker::CELL, &[]).map_err(gone)?;
        let answer = wire::receive(&*connection).map_err(gone)?;
        drop(connection);
        let files = answer.map(|(_, files)| files).unwrap_or_default();
        let [socket, process]: [OwnedFd; 2] =
            files.try_into().map_err(|_| Error::Gone { why: "its broker has ended".to_owned() })?;
        match wire::receive(&socket).map_err(gone)? {
            Some((words, _)) if words == cell::READY => Ok(Cell { socket, process }),
            Some((words, _)) => {
                Err(Error::Unenforced { why: String::from_utf8_lossy(&words).into_owned() })
            }
            None => Err(Error::Unenforced { why: "a cell ended at once".to_owned() }),
        }
    }

    fn connection(&self) -> MutexGuard<'_, OwnedFd> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        // It may have ended already; with it ends everything it made.
        let _ = self.broker.kill();
        let _ = self.broker.wait();
    }
}

impl Cell {
    /// Runs a program, with these three streams.
    ///
    /// # Errors
    ///
    /// When the cell is gone.
    pub fn begin(&self, request: &Request, streams: [&dyn AsFd; 3]) -> Result<(), Error> {
        let gone = |why: io::Error| Error::Gone { why: why.to_string() };
        cell::begin(&self.socket, request, streams).map_err(gone)
    }

    /// Waits for the end of its program.
    ///
    /// # Errors
    ///
    /// When the connection to the cell fails.
    pub fn wait(&self) -> Result<Ended, Error> {
        let gone = |why: io::Error| Error::Gone { why: why.to_string() };
        let told = wire::receive(&self.socket).map_err(gone)?;
        let killed = Ended::Signal(Signal::KILL.as_raw());
        Ok(told.and_then(|(words, _)| cell::ended(&words)).unwrap_or(killed))
    }

    /// Ends its program and everything that started from it.
    ///
    /// # Errors
    ///
    /// When the kernel does not let it.
    pub fn kill(&self) -> Result<(), Error> {
        match pidfd_send_signal(&self.process, Signal::KILL) {
            Ok(()) | Err(Errno::SRCH) => Ok(()),
            Err(errno) => Err(Error::Gone { why: errno.to_string() }),
        }
    }
}

impl Drop for Cell {
    fn drop(&mut self) {
        // One whose program has ended is gone already.
        let _ = self.kill();
    }
}
