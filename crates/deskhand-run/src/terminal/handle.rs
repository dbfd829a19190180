//! A handle to a program on a terminal. A thread reads its output.

use std::{
    collections::BTreeMap,
    os::fd::AsFd,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::{Duration, Instant},
};

use anstream::adapter::StripBytes;
use deskhand_sandbox::{Container, ExitReason, Pty, Request, TerminalSize};
use parking_lot::{Condvar, Mutex};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{OFlags, fcntl_getfl, fcntl_setfl},
    io::{Errno, read, write},
    termios::{LocalModes, tcgetattr},
};

use super::{ScreenSnapshot, keys, screen::ScreenEmulator};
use crate::{
    Error,
    output::{OutputLimits, OutputStore, SpillFolder},
    session_sandbox::SessionSandbox,
    timing::INPUT_TIMEOUT,
};

/// Number of bytes of output to keep.
const KEPT_OUTPUT: usize = 256 << 10;

/// Number of bytes to read at once.
const READ_SIZE: usize = 16 << 10;

/// Stack size of a thread that reads a terminal.
const STACK_SIZE: usize = 512 << 10;

/// A program to start on a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TerminalRequest {
    /// The program and its arguments. Empty starts a shell.
    pub command: Vec<String>,
    /// The working folder. It must be inside the scope.
    pub folder: PathBuf,
    /// The size of the terminal.
    pub size: TerminalSize,
}

/// Input for a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Text, typed as it is.
    Text(String),
    /// A key, such as `Enter`, `Ctrl+C`, `Up` or `F5`.
    Key(String),
}

/// The result of sending input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SendResult {
    /// The number of bytes that the terminal accepted.
    pub sent_bytes: usize,
    /// The number of bytes that it did not accept because its program does not read.
    pub unsent_bytes: usize,
}

/// The treatment of typed input.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum EchoMode {
    /// The terminal echoes it.
    Echoed,
    /// It is not shown: the program asks for a secret.
    Hidden,
    /// The program reads single keys and draws itself.
    Application,
}

/// A program on a terminal.
#[derive(Debug)]
pub struct Terminal {
    id: String,
    title: String,
    container: Container,
    pty: Pty,
    idle_timeout: Duration,
    pub(super) data: Mutex<TerminalData>,
    pub(super) changed: Condvar,
}

/// The part of a terminal that changes.
#[derive(Debug)]
pub(super) struct TerminalData {
    /// Output with escape sequences.
    pub(super) raw: OutputStore,
    /// Output without escape sequences.
    pub(super) plain: OutputStore,
    strip: StripBytes,
    pub(super) screen: ScreenEmulator,
    /// The number of bytes already read of `plain` and `raw`.
    pub(super) read: (u64, u64),
    pub(super) exit: Option<ExitReason>,
    pub(super) last_output: Instant,
    pub(super) last_used: Instant,
}

impl Terminal {
    pub(super) fn open(
        id: String,
        request: &TerminalRequest,
        sandbox: &SessionSandbox,
        idle_timeout: Duration,
    ) -> Result<Arc<Self>, Error> {
        let shell = SHELLS.iter().find(|shell| Path::new(shell).exists());
        let shell = [shell.copied().unwrap_or("sh").to_owned()];
        let command = if request.command.is_empty() { &shell[..] } else { &request.command };
        let Some((program, arguments)) = command.split_first() else {
            return Err(Error::NothingToRun);
        };
        let program_request = Request {
            program: program.clone(),
            arguments: arguments.to_vec(),
            environment: BTreeMap::from([("TERM".to_owned(), TERM.to_owned())]),
            folder: request.folder.clone(),
        };
        let container = sandbox.container()?;
        let pty = container.start_on_terminal(&program_request, request.size)?;
        let failed =
            |errno: Errno| Error::System { action: "opening a terminal", reason: errno.into() };
        let flags = fcntl_getfl(&pty.master).map_err(failed)?;
        fcntl_setfl(&pty.master, flags | OFlags::NONBLOCK).map_err(failed)?;
        let spill_folder = Arc::new(SpillFolder::new(PathBuf::new(), 0));
        let limits = OutputLimits { head: 0, tail: KEPT_OUTPUT, disk: 0 };
        let new_store = || OutputStore::new(limits, Arc::clone(&spill_folder));
        let now = Instant::now();
        let data = TerminalData {
            raw: new_store(),
            plain: new_store(),
            strip: StripBytes::new(),
            screen: ScreenEmulator::new(request.size),
            read: (0, 0),
            exit: None,
            last_output: now,
            last_used: now,
        };
        let terminal = Arc::new(Self {
            id,
            title: command.join(" "),
            container,
            pty,
            idle_timeout,
            data: Mutex::new(data),
            changed: Condvar::new(),
        });
        let reader = Arc::clone(&terminal);
        let thread = thread::Builder::new().name("terminal".to_owned()).stack_size(STACK_SIZE);
        let spawned = thread.spawn(move || reader.read_until_closed());
        spawned.map_err(|reason| Error::System {
            action: "starting a thread for a terminal",
            reason,
        })?;
        Ok(terminal)
    }

    /// The id, such as `term_k3x09f`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// The command line of the program.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// The exit reason of the program, if it has ended.
    pub fn exit(&self) -> Option<ExitReason> {
        self.data.lock().exit.clone()
    }

    /// The current echo mode.
    pub fn echo(&self) -> EchoMode {
        let modes = tcgetattr(&self.pty.master).map_or(LocalModes::empty(), |all| all.local_modes);
        if modes.contains(LocalModes::ECHO) {
            EchoMode::Echoed
        } else if modes.contains(LocalModes::ICANON) {
            EchoMode::Hidden
        } else {
            EchoMode::Application
        }
    }

    /// Returns the screen.
    pub fn screen_snapshot(&self) -> ScreenSnapshot {
        self.data.lock().screen.snapshot()
    }

    /// Types text and keys.
    ///
    /// # Errors
    ///
    /// Fails without typing anything if a key is unknown or the program has ended.
    pub fn send(&self, input: &[Input]) -> Result<SendResult, Error> {
        let mut data = self.data.lock();
        if data.exit.is_some() {
            return Err(Error::TerminalEnded { id: self.id.clone() });
        }
        data.last_used = Instant::now();
        let cursor_keys = data.screen.cursor_keys();
        drop(data);
        let mut bytes = Vec::new();
        for one in input {
            match one {
                Input::Text(text) => bytes.extend_from_slice(text.as_bytes()),
                Input::Key(key) => bytes.extend(keys::bytes(key, cursor_keys)?),
            }
        }
        let left = self.write_bytes(&bytes, Instant::now() + INPUT_TIMEOUT);
        Ok(SendResult { sent_bytes: bytes.len() - left, unsent_bytes: left })
    }

    /// Changes the size. The program gets `SIGWINCH`.
    ///
    /// # Errors
    ///
    /// Fails if the program has ended.
    pub fn resize(&self, size: TerminalSize) -> Result<(), Error> {
        let mut data = self.data.lock();
        if data.exit.is_some() {
            return Err(Error::TerminalEnded { id: self.id.clone() });
        }
        data.last_used = Instant::now();
        self.pty.resize(size)?;
        data.screen.resize(size);
        Ok(())
    }

    /// Kills the program and its descendants.
    ///
    /// # Errors
    ///
    /// Fails if a process does not end in time.
    pub(super) fn close(&self) -> Result<(), Error> {
        self.container.kill()?;
        // The reading thread records the exit.
        let mut data = self.data.lock();
        self.changed.wait_while_for(&mut data, |data| data.exit.is_none(), INPUT_TIMEOUT);
        Ok(())
    }

    /// Writes bytes to the terminal. Returns the number of bytes that it did not accept before the deadline.
    fn write_bytes(&self, bytes: &[u8], deadline: Instant) -> usize {
        let mut left = bytes;
        while !left.is_empty() {
            match write(&self.pty.master, left) {
                Ok(count) => left = left.get(count..).unwrap_or_default(),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    let now = Instant::now();
                    if now >= deadline || !self.is_ready(PollFlags::OUT, deadline - now) {
                        break;
                    }
                }
                Err(_) => break,
            }
        }
        left.len()
    }

    fn is_ready(&self, wanted: PollFlags, time: Duration) -> bool {
        let time = Timespec::try_from(time).ok();
        match poll(&mut [PollFd::from_borrowed_fd(self.pty.master.as_fd(), wanted)], time.as_ref())
        {
            Ok(count) => count > 0,
            Err(errno) => errno == Errno::INTR,
        }
    }

    /// Reads output until the program has ended or the terminal was idle for too long.
    fn read_until_closed(&self) {
        let mut buffer = vec![0; READ_SIZE];
        loop {
            let last_used = self.data.lock().last_used;
            let left = self.idle_timeout.saturating_sub(last_used.elapsed());
            if left.is_zero() {
                // A program that does not end now ends with the session.
                let _ = self.container.kill();
                break;
            }
            if !self.is_ready(PollFlags::IN, left) {
                continue;
            }
            match read(&self.pty.master, &mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    let replies = self.add_output(buffer.get(..count).unwrap_or_default());
                    self.write_bytes(&replies, Instant::now());
                }
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(_) => break,
            }
        }
        // No process has the terminal open any more, but the program may still be about to exit.
        let exit = self.container.wait().unwrap_or(ExitReason::Signal(9));
        self.data.lock().exit = Some(exit);
        self.changed.notify_all();
    }

    fn add_output(&self, bytes: &[u8]) -> Vec<u8> {
        let mut data = self.data.lock();
        let TerminalData { raw, plain, strip, screen, last_output, .. } = &mut *data;
        raw.push(bytes);
        for part in strip.strip_next(bytes) {
            plain.push(part);
        }
        *last_output = Instant::now();
        let replies = screen.draw(bytes);
        drop(data);
        self.changed.notify_all();
        replies
    }
}

/// Interactive shells, best first.
const SHELLS: &[&str] = &["/bin/bash", "/bin/zsh"];

/// The value of `TERM`.
const TERM: &str = "xterm-256color";
