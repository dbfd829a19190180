//! The server's side of a container.

use std::{
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::{
        Arc, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use parking_lot::Mutex;
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    process::{Signal, pidfd_send_signal},
    termios::tcsetwinsize,
};

use super::timing::KILL_TIMEOUT;
use super::{init, pool::Pool, wire};
use crate::{Error, ExitReason, Request, TerminalSize};

/// The place of one program and its descendants. The plan applies before the program starts, and all processes
/// end with the container.
#[derive(Debug)]
pub struct Container {
    connection: ContainerConnection,
    exit: Mutex<Option<ExitReason>>,
    /// The pool that takes the container back after its program has exited.
    pool: Weak<Pool>,
    kind: ContainerKind,
    started: AtomicBool,
}

/// The kind of program that a container waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ContainerKind {
    /// Any program.
    Bare,
    /// A script. A shell already waits for it.
    Shell,
}

/// The connection to the first process of a container, and a pidfd of that process.
#[derive(Debug, Clone)]
pub(super) struct ContainerConnection {
    pub(super) socket: Arc<OwnedFd>,
    pub(super) process: Arc<OwnedFd>,
}

impl ContainerConnection {
    /// Returns `true` if the container has sent a message, or sends one before the timeout.
    pub(super) fn is_readable_within(&self, timeout: Duration) -> io::Result<bool> {
        poll_until(&self.socket, PollFlags::IN, Instant::now() + timeout)
    }

    /// Kills the first process, and with it the container.
    pub(super) fn kill_init(&self) -> Result<(), Error> {
        match pidfd_send_signal(&self.process, Signal::KILL) {
            Ok(()) | Err(Errno::SRCH) => Ok(()),
            Err(errno) => Err(broker_gone(errno.into())),
        }
    }
}

/// The master side of a pseudoterminal: writes are typed, reads return what is shown.
#[derive(Debug)]
pub struct Pty {
    /// The open device. Reading fails with `EIO` when no process has the terminal open.
    pub master: std::fs::File,
}

impl Pty {
    /// Changes the size. The program gets `SIGWINCH`.
    ///
    /// # Errors
    ///
    /// Fails if the terminal is gone.
    pub fn resize(&self, size: TerminalSize) -> Result<(), Error> {
        tcsetwinsize(&self.master, init::winsize(size)).map_err(|errno| broker_gone(errno.into()))
    }
}

fn broker_gone(reason: io::Error) -> Error {
    Error::Gone { reason: reason.to_string() }
}

impl Container {
    pub(super) fn new(
        connection: ContainerConnection,
        kind: ContainerKind,
        pool: Weak<Pool>,
    ) -> Self {
        Self { connection, exit: Mutex::new(None), pool, kind, started: AtomicBool::new(false) }
    }

    /// Starts a program with these streams: input, output, errors. A container runs one program.
    ///
    /// # Errors
    ///
    /// Fails if the container is gone. [`Container::wait`] reports a program that cannot be started.
    pub fn start(&self, request: &Request, streams: [BorrowedFd<'_>; 3]) -> Result<(), Error> {
        self.claim_start(request)?;
        let message = wire::to_memfd(request).map_err(broker_gone)?;
        let [input, output, errors] = streams;
        let files = [message.as_fd(), input, output, errors];
        wire::send(&self.connection.socket, init::RUN, &files).map_err(broker_gone)
    }

    /// Starts a program with a new pseudoterminal as its controlling terminal.
    ///
    /// # Errors
    ///
    /// Fails if the container is gone or no pseudoterminal is available.
    pub fn start_on_terminal(&self, request: &Request, size: TerminalSize) -> Result<Pty, Error> {
        self.claim_start(request)?;
        let message = wire::to_memfd(&(request, size)).map_err(broker_gone)?;
        wire::send(&self.connection.socket, init::TERMINAL, &[message.as_fd()])
            .map_err(broker_gone)?;
        let reply = wire::receive(&self.connection.socket).map_err(broker_gone)?;
        let (message, mut files) = reply.unwrap_or_default();
        match files.pop() {
            Some(master) => Ok(Pty { master: master.into() }),
            None => {
                let reason = match init::decode_exit(&message) {
                    Some(ExitReason::NotStarted(reason)) => reason,
                    Some(ExitReason::Exit(_) | ExitReason::Signal(_)) | None => {
                        "its container ended".to_owned()
                    }
                };
                Err(Error::StartFailed { program: request.program.clone(), reason })
            }
        }
    }

    /// Fails if a program was started before. A second one would run after the first has ended, when another
    /// caller may own the container.
    fn claim_start(&self, request: &Request) -> Result<(), Error> {
        if self.kind == ContainerKind::Shell || self.started.swap(true, Ordering::Relaxed) {
            let reason = "its container already has a program".to_owned();
            return Err(Error::StartFailed { program: request.program.clone(), reason });
        }
        Ok(())
    }

    /// Waits for the end of the program. Its descendants are killed right after.
    ///
    /// # Errors
    ///
    /// Fails if the connection to the container fails.
    pub fn wait(&self) -> Result<ExitReason, Error> {
        let mut cached = self.exit.lock();
        if let Some(exit) = &*cached {
            return Ok(exit.clone());
        }
        let reply = wire::receive(&self.connection.socket).map_err(broker_gone)?;
        let killed = ExitReason::Signal(Signal::KILL.as_raw());
        let exit = reply.and_then(|(message, _)| init::decode_exit(&message)).unwrap_or(killed);
        *cached = Some(exit.clone());
        Ok(exit)
    }

    /// Waits for the end of the program until the deadline. Returns `None` if it still runs.
    ///
    /// # Errors
    ///
    /// Fails if the connection to the container fails.
    pub fn wait_until(&self, deadline: Instant) -> Result<Option<ExitReason>, Error> {
        if poll_until(&self.connection.socket, PollFlags::IN, deadline).map_err(broker_gone)? {
            return self.wait().map(Some);
        }
        Ok(None)
    }

    /// Kills the program and its descendants. None is left when this returns.
    ///
    /// # Errors
    ///
    /// Fails if a process does not end in time.
    pub fn kill(&self) -> Result<(), Error> {
        self.connection.kill_init()?;
        let deadline = Instant::now() + KILL_TIMEOUT;
        // Process 1 of a namespace ends after all others. Without a namespace the broker keeps the connection
        // open until it has killed them all.
        let finished = poll_until(&self.connection.process, PollFlags::IN, deadline)
            .map_err(broker_gone)?
            && poll_until(&self.connection.socket, PollFlags::empty(), deadline)
                .map_err(broker_gone)?;
        if finished {
            Ok(())
        } else {
            Err(Error::Gone { reason: "its programs do not end".to_owned() })
        }
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        let exit = self.exit.get_mut();
        let pool = match exit {
            Some(ExitReason::Exit(_)) => self.pool.upgrade(),
            // The signal may have killed the container too.
            Some(ExitReason::Signal(_) | ExitReason::NotStarted(_)) | None => None,
        };
        match pool {
            Some(pool) => pool.take_back(self.connection.clone(), self.kind),
            None => {
                // The container may be gone already.
                let _ = self.connection.kill_init();
            }
        }
    }
}

/// Waits until a file has one of the events or is closed. Returns `false` if the deadline passes first.
fn poll_until(file: impl AsFd, wanted: PollFlags, deadline: Instant) -> io::Result<bool> {
    loop {
        let left = deadline.saturating_duration_since(Instant::now());
        let left =
            Timespec::try_from(left).map_err(|_| io::Error::from(io::ErrorKind::InvalidInput))?;
        match poll(&mut [PollFd::new(&file, wanted)], Some(&left)) {
            Ok(0) => return Ok(false),
            Ok(_) => return Ok(true),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}
