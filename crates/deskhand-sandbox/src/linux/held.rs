//! The server's side of a cell.

use std::{
    io,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
    sync::{
        Arc, Mutex, PoisonError, Weak,
        atomic::{AtomicBool, Ordering},
    },
    time::{Duration, Instant},
};

use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    io::Errno,
    process::{Signal, pidfd_send_signal},
    termios::tcsetwinsize,
};

use super::{cell, pool::Pool, wire};
use crate::{Ended, Error, Request, Size};

/// How long the kernel may take to end what is killed; it waits for a slow disk at the most.
const PATIENCE: Duration = Duration::from_secs(30);

/// A place for one program, held to the plan before it begins. What runs in it ends with it.
#[derive(Debug)]
pub struct Cell {
    line: Line,
    ended: Mutex<Option<Ended>>,
    /// Where it goes when its program has ended by itself.
    home: Weak<Pool>,
    kind: Kind,
    begun: AtomicBool,
}

/// What a cell is ready for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Any program.
    Bare,
    /// A script; a shell waits for it.
    Shell,
}

/// The connection to a cell's first process, and that process.
#[derive(Debug, Clone)]
pub(super) struct Line {
    pub(super) socket: Arc<OwnedFd>,
    pub(super) process: Arc<OwnedFd>,
}

impl Line {
    /// Whether the cell has said something, or says it in time.
    pub(super) fn answers_within(&self, time: Duration) -> io::Result<bool> {
        ready(&self.socket, PollFlags::IN, Instant::now() + time)
    }

    /// Ends the cell.
    pub(super) fn cut(&self) -> Result<(), Error> {
        match pidfd_send_signal(&self.process, Signal::KILL) {
            Ok(()) | Err(Errno::SRCH) => Ok(()),
            Err(errno) => Err(gone(errno.into())),
        }
    }
}

/// The outer end of a terminal: what is written to it is typed, what is read from it is shown.
#[derive(Debug)]
pub struct Terminal {
    /// The terminal itself. Reading fails with `EIO` when nobody is left inside.
    pub end: std::fs::File,
}

impl Terminal {
    /// Changes its size; whoever runs in it is told.
    ///
    /// # Errors
    ///
    /// When it is gone.
    pub fn resize(&self, size: Size) -> Result<(), Error> {
        tcsetwinsize(&self.end, cell::winsize(size)).map_err(|errno| gone(errno.into()))
    }
}

fn gone(why: io::Error) -> Error {
    Error::Gone { why: why.to_string() }
}

impl Cell {
    pub(super) fn new(line: Line, kind: Kind, home: Weak<Pool>) -> Self {
        Self { line, ended: Mutex::new(None), home, kind, begun: AtomicBool::new(false) }
    }

    /// Runs a program on three streams: input, output, errors. A cell runs one.
    ///
    /// # Errors
    ///
    /// When the cell is gone; a program that cannot be started is told by [`Cell::wait`].
    pub fn begin(&self, request: &Request, streams: [BorrowedFd<'_>; 3]) -> Result<(), Error> {
        self.only_once(request)?;
        let message = wire::written(request).map_err(gone)?;
        let [input, output, errors] = streams;
        let files = [message.as_fd(), input, output, errors];
        wire::send(&self.line.socket, cell::RUN, &files).map_err(gone)
    }

    /// Runs a program on a terminal of its own, which it controls.
    ///
    /// # Errors
    ///
    /// When the cell is gone, or there is no terminal for it.
    pub fn begin_on_terminal(&self, request: &Request, size: Size) -> Result<Terminal, Error> {
        self.only_once(request)?;
        let message = wire::written(&(request, size)).map_err(gone)?;
        wire::send(&self.line.socket, cell::TERMINAL, &[message.as_fd()]).map_err(gone)?;
        let told = wire::receive(&self.line.socket).map_err(gone)?;
        let (words, mut files) = told.unwrap_or_default();
        match files.pop() {
            Some(end) => Ok(Terminal { end: end.into() }),
            None => {
                let why = match cell::ended(&words) {
                    Some(Ended::NotStarted(why)) => why,
                    Some(Ended::Exit(_) | Ended::Signal(_)) | None => "its cell ended".to_owned(),
                };
                Err(Error::Start { program: request.program.clone(), why })
            }
        }
    }

    /// What is asked for a second time would run after the first has ended, in somebody else's hands.
    fn only_once(&self, request: &Request) -> Result<(), Error> {
        if self.kind == Kind::Shell || self.begun.swap(true, Ordering::Relaxed) {
            let why = "its cell has a program already".to_owned();
            return Err(Error::Start { program: request.program.clone(), why });
        }
        Ok(())
    }

    /// Waits for the end of its program. What that left behind is ended right after.
    ///
    /// # Errors
    ///
    /// When the connection to the cell fails.
    pub fn wait(&self) -> Result<Ended, Error> {
        let mut known = self.ended.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(ended) = &*known {
            return Ok(ended.clone());
        }
        let told = wire::receive(&self.line.socket).map_err(gone)?;
        let killed = Ended::Signal(Signal::KILL.as_raw());
        let ended = told.and_then(|(words, _)| cell::ended(&words)).unwrap_or(killed);
        *known = Some(ended.clone());
        Ok(ended)
    }

    /// Waits for the end of its program, but not longer than this.
    ///
    /// # Errors
    ///
    /// When the connection to the cell fails.
    pub fn wait_until(&self, until: Instant) -> Result<Option<Ended>, Error> {
        if ready(&self.line.socket, PollFlags::IN, until).map_err(gone)? {
            return self.wait().map(Some);
        }
        Ok(None)
    }

    /// Ends its program and everything that started from it; none of it is left afterwards.
    ///
    /// # Errors
    ///
    /// When the kernel does not let it.
    pub fn kill(&self) -> Result<(), Error> {
        self.line.cut()?;
        let until = Instant::now() + PATIENCE;
        // The first process of a namespace ends when all others in it have; where there is no namespace
        // the broker holds on to the connection until it has found them all.
        let over = ready(&self.line.process, PollFlags::IN, until).map_err(gone)?
            && ready(&self.line.socket, PollFlags::empty(), until).map_err(gone)?;
        if over { Ok(()) } else { Err(Error::Gone { why: "its programs do not end".to_owned() }) }
    }
}

impl Drop for Cell {
    fn drop(&mut self) {
        let ended = self.ended.get_mut().unwrap_or_else(PoisonError::into_inner);
        let home = match ended {
            Some(Ended::Exit(_)) => self.home.upgrade(),
            // Whoever was killed may have been killed together with its cell.
            Some(Ended::Signal(_) | Ended::NotStarted(_)) | None => None,
        };
        match home {
            Some(home) => home.take_back(self.line.clone(), self.kind),
            None => {
                // It may be gone already.
                let _ = self.line.cut();
            }
        }
    }
}

/// Whether something came of a file before the time was over; its end always counts.
fn ready(file: impl AsFd, wanted: PollFlags, until: Instant) -> io::Result<bool> {
    loop {
        let left = until.saturating_duration_since(Instant::now());
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
