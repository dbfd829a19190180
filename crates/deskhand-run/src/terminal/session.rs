//! One program on a terminal: typed to by whoever holds it, read by a thread of its own.

use std::{
    collections::BTreeMap,
    os::fd::AsFd,
    path::{Path, PathBuf},
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError},
    thread,
    time::{Duration, Instant},
};

use anstream::adapter::StripBytes;
use deskhand_sandbox::{Cell, Ended, Request, Size};
use rustix::{
    event::{PollFd, PollFlags, Timespec, poll},
    fs::{OFlags, fcntl_getfl, fcntl_setfl},
    io::{Errno, read, write},
    termios::{LocalModes, tcgetattr},
};

use super::{Picture, keys, screen::Screen};
use crate::{
    Error,
    floor::Floor,
    output::{Bounds, Shelf, Store},
};

/// Bytes of what was shown that are kept.
const KEPT: usize = 256 << 10;

/// Bytes read at once.
const CHUNK: usize = 16 << 10;

/// Stack of a thread that reads a terminal.
const STACK: usize = 512 << 10;

/// How long a program may take to read what is typed.
const PATIENCE: Duration = Duration::from_secs(5);

/// A program to start on a terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Opening {
    /// The program and its arguments; a shell when there are none.
    pub words: Vec<String>,
    /// The folder it begins in; it must be in the scope.
    pub folder: PathBuf,
    /// The size of the terminal.
    pub size: Size,
}

/// Something to type.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Input {
    /// Text as it is.
    Text(String),
    /// A key by its name: `Enter`, `Ctrl+C`, `Up`, `F5`.
    Key(String),
}

/// What was typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sent {
    /// Bytes the program's terminal took.
    pub bytes: usize,
    /// Bytes it did not take: its program does not read.
    pub left: usize,
}

/// What becomes of what is typed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Echo {
    /// The terminal shows it.
    Shown,
    /// Nobody shows it: a program asks for a secret.
    Hidden,
    /// The program takes each key and shows what it likes.
    Drawn,
}

/// A program on a terminal.
#[derive(Debug)]
pub struct Terminal {
    id: String,
    title: String,
    cell: Cell,
    end: deskhand_sandbox::Terminal,
    idle: Duration,
    pub(super) inner: Mutex<Inner>,
    pub(super) changed: Condvar,
}

/// What changes.
#[derive(Debug)]
pub(super) struct Inner {
    /// As it was printed.
    pub(super) raw: Store,
    /// Without escape sequences.
    pub(super) plain: Store,
    strip: StripBytes,
    pub(super) screen: Screen,
    /// How far the two were read.
    pub(super) read: (u64, u64),
    pub(super) ended: Option<Ended>,
    pub(super) printed_at: Instant,
    pub(super) used_at: Instant,
}

impl Terminal {
    pub(super) fn open(
        id: String,
        opening: &Opening,
        floor: &Floor,
        idle: Duration,
    ) -> Result<Arc<Self>, Error> {
        let shell = SHELLS.iter().find(|shell| Path::new(shell).exists());
        let shell = [shell.copied().unwrap_or("sh").to_owned()];
        let words = if opening.words.is_empty() { &shell[..] } else { &opening.words };
        let Some((program, arguments)) = words.split_first() else { return Err(Error::Nothing) };
        let request = Request {
            program: program.clone(),
            arguments: arguments.to_vec(),
            environment: BTreeMap::from([("TERM".to_owned(), TERM.to_owned())]),
            folder: opening.folder.clone(),
        };
        let cell = floor.cell()?;
        let end = cell.begin_on_terminal(&request, opening.size)?;
        let failed = |errno: Errno| Error::System { what: "a terminal", why: errno.into() };
        let flags = fcntl_getfl(&end.end).map_err(failed)?;
        fcntl_setfl(&end.end, flags | OFlags::NONBLOCK).map_err(failed)?;
        let shelf = Arc::new(Shelf::new(PathBuf::new(), 0));
        let bounds = Bounds { head: 0, tail: KEPT, whole: 0 };
        let kept = || Store::new(bounds, Arc::clone(&shelf));
        let now = Instant::now();
        let inner = Inner {
            raw: kept(),
            plain: kept(),
            strip: StripBytes::new(),
            screen: Screen::new(opening.size),
            read: (0, 0),
            ended: None,
            printed_at: now,
            used_at: now,
        };
        let terminal = Arc::new(Self {
            id,
            title: words.join(" "),
            cell,
            end,
            idle,
            inner: Mutex::new(inner),
            changed: Condvar::new(),
        });
        let reader = Arc::clone(&terminal);
        let thread = thread::Builder::new().name("terminal".to_owned()).stack_size(STACK);
        let spawned = thread.spawn(move || reader.read_to_the_end());
        spawned.map_err(|why| Error::System { what: "a thread for a terminal", why })?;
        Ok(terminal)
    }

    /// Its id, such as `term_k3x09f`.
    pub fn id(&self) -> &str {
        &self.id
    }

    /// What runs in it.
    pub fn title(&self) -> &str {
        &self.title
    }

    /// How its program ended, when it has.
    pub fn ended(&self) -> Option<Ended> {
        self.inner().ended.clone()
    }

    /// What becomes of what is typed now.
    pub fn echo(&self) -> Echo {
        let modes = tcgetattr(&self.end.end).map_or(LocalModes::empty(), |all| all.local_modes);
        if modes.contains(LocalModes::ECHO) {
            Echo::Shown
        } else if modes.contains(LocalModes::ICANON) {
            Echo::Hidden
        } else {
            Echo::Drawn
        }
    }

    /// Its screen as a person would see it.
    pub fn picture(&self) -> Picture {
        self.inner().screen.picture()
    }

    /// Types text and keys.
    ///
    /// # Errors
    ///
    /// When a key is unknown, of which nothing is typed, or the program has ended.
    pub fn send(&self, input: &[Input]) -> Result<Sent, Error> {
        let mut inner = self.inner();
        if inner.ended.is_some() {
            return Err(Error::TerminalEnded { id: self.id.clone() });
        }
        inner.used_at = Instant::now();
        let arrows = inner.screen.arrows();
        drop(inner);
        let mut bytes = Vec::new();
        for one in input {
            match one {
                Input::Text(text) => bytes.extend_from_slice(text.as_bytes()),
                Input::Key(key) => bytes.extend(keys::bytes(key, arrows)?),
            }
        }
        let left = self.typed(&bytes, Instant::now() + PATIENCE);
        Ok(Sent { bytes: bytes.len() - left, left })
    }

    /// Changes its size; whoever runs in it is told.
    ///
    /// # Errors
    ///
    /// When the program has ended.
    pub fn resize(&self, size: Size) -> Result<(), Error> {
        let mut inner = self.inner();
        if inner.ended.is_some() {
            return Err(Error::TerminalEnded { id: self.id.clone() });
        }
        inner.used_at = Instant::now();
        self.end.resize(size)?;
        inner.screen.resize(size);
        Ok(())
    }

    /// Ends its program with everything that started from it.
    ///
    /// # Errors
    ///
    /// When the kernel does not let it.
    pub(super) fn close(&self) -> Result<(), Error> {
        self.cell.kill()?;
        // All that is left is to note it.
        let noted = |inner: &mut Inner| inner.ended.is_none();
        drop(self.changed.wait_timeout_while(self.inner(), PATIENCE, noted));
        Ok(())
    }

    /// Types bytes; how many were not taken in time.
    fn typed(&self, bytes: &[u8], until: Instant) -> usize {
        let mut left = bytes;
        while !left.is_empty() {
            match write(&self.end.end, left) {
                Ok(count) => left = left.get(count..).unwrap_or_default(),
                Err(Errno::INTR) => {}
                Err(Errno::AGAIN) => {
                    let now = Instant::now();
                    if now >= until || !self.is_ready(PollFlags::OUT, until - now) {
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
        match poll(&mut [PollFd::from_borrowed_fd(self.end.end.as_fd(), wanted)], time.as_ref()) {
            Ok(count) => count > 0,
            Err(errno) => errno == Errno::INTR,
        }
    }

    /// Reads what is shown until nobody is left to show anything, or nobody cares.
    fn read_to_the_end(&self) {
        let mut buffer = vec![0; CHUNK];
        loop {
            let used_at = self.inner().used_at;
            let left = self.idle.saturating_sub(used_at.elapsed());
            if left.is_zero() {
                // What does not end now ends with the session.
                let _ = self.cell.kill();
                break;
            }
            if !self.is_ready(PollFlags::IN, left) {
                continue;
            }
            match read(&self.end.end, &mut buffer) {
                Ok(0) => break,
                Ok(count) => {
                    let answers = self.show(buffer.get(..count).unwrap_or_default());
                    self.typed(&answers, Instant::now());
                }
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(_) => break,
            }
        }
        // Nobody holds the terminal any more; the program that began it may, for a moment.
        let ended = self.cell.wait().unwrap_or(Ended::Signal(9));
        self.inner().ended = Some(ended);
        self.changed.notify_all();
    }

    fn show(&self, bytes: &[u8]) -> Vec<u8> {
        let mut inner = self.inner();
        let Inner { raw, plain, strip, screen, printed_at, .. } = &mut *inner;
        raw.push(bytes);
        for part in strip.strip_next(bytes) {
            plain.push(part);
        }
        *printed_at = Instant::now();
        let answers = screen.draw(bytes);
        drop(inner);
        self.changed.notify_all();
        answers
    }

    pub(super) fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Shells for a person, the better one first.
const SHELLS: &[&str] = &["/bin/bash", "/bin/zsh"];

/// What programs are told the terminal can do.
const TERM: &str = "xterm-256color";
