//! Cells that are ready before anybody asks for one. They come from the broker, and back from whoever
//! used them: a cell ends everything of a program before it takes the next.

use std::{
    collections::VecDeque,
    io,
    os::fd::OwnedFd,
    sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, Weak},
    thread,
    time::Duration,
};

use super::{
    broker, cell,
    held::{Cell, Kind, Line},
    remedy::unenforced,
    wire,
};
use crate::Error;

/// How many of a kind are made before anybody asks.
const FEW: usize = 3;

/// How many of a kind are kept for the next to ask.
const MANY: usize = 24;

/// How long more than a few are kept while nobody asks.
const PATIENCE: Duration = Duration::from_secs(20);

/// How long it is waited for one to come back before a new one is made: that takes about as long, and
/// work on both processors.
const SOON: Duration = Duration::from_millis(4);

/// How long a cell may take to be ready again.
const LONG: Duration = Duration::from_millis(250);

/// The cells of one broker that nobody uses.
#[derive(Debug)]
pub(super) struct Pool {
    broker: Mutex<OwnedFd>,
    idle: Mutex<Idle>,
    /// Told when there are few.
    few: Condvar,
    /// Told when there is one more of a kind: one who waits for it, not all of them.
    more: [Condvar; 2],
}

#[derive(Debug, Default)]
struct Idle {
    bare: VecDeque<Line>,
    shells: VecDeque<Line>,
    /// Whether anybody asked since it was last looked.
    asked: bool,
    /// How many came back so far.
    returned: u64,
    closed: bool,
}

impl Idle {
    fn of(&mut self, kind: Kind) -> &mut VecDeque<Line> {
        match kind {
            Kind::Bare => &mut self.bare,
            Kind::Shell => &mut self.shells,
        }
    }
}

impl Pool {
    /// A pool of a broker's cells, with a thread that keeps it filled until it is closed.
    pub(super) fn new(broker: OwnedFd) -> Result<Arc<Self>, Error> {
        let idle = Mutex::new(Idle::default());
        let (few, more) = (Condvar::new(), [Condvar::new(), Condvar::new()]);
        let pool = Arc::new(Self { broker: Mutex::new(broker), idle, few, more });
        let weak = Arc::downgrade(&pool);
        thread::Builder::new()
            .name("sandbox pool".to_owned())
            .spawn(move || tend(&weak))
            .map_err(gone)?;
        Ok(pool)
    }

    /// A cell for any program.
    pub(super) fn cell(self: &Arc<Self>) -> Result<Cell, Error> {
        let line = match self.pop(Kind::Bare) {
            Some(line) => line,
            None => self.made()?,
        };
        Ok(Cell::new(line, Kind::Bare, Arc::downgrade(self)))
    }

    /// A cell whose shell waits: where its script goes, and where its output comes from.
    pub(super) fn shell(self: &Arc<Self>) -> Result<(Cell, OwnedFd, OwnedFd), Error> {
        loop {
            let ready = self.pop(Kind::Shell);
            let fresh = ready.is_none();
            let line = match ready {
                Some(line) => line,
                None => {
                    let line = self.made()?;
                    prepare(&line, Kind::Shell).map_err(gone)?;
                    line
                }
            };
            // One that still ends what was left in it would make a stranger wait.
            if !fresh && !line.answers_within(LONG).map_err(gone)? {
                // It may be gone already.
                let _ = line.cut();
                continue;
            }
            let told = wire::receive(&line.socket).map_err(gone)?;
            let (words, files) = told.unwrap_or_default();
            let found: Result<[OwnedFd; 2], _> = files.try_into();
            if let Ok([script, output]) = found {
                return Ok((Cell::new(line, Kind::Shell, Arc::downgrade(self)), script, output));
            }
            // One that ended while it waited is passed over; that a new one does is told.
            if fresh {
                return Err(Error::Start { program: "/bin/sh".to_owned(), why: said(&words) });
            }
        }
    }

    /// Takes a cell whose program has ended.
    pub(super) fn take_back(&self, line: Line, kind: Kind) {
        let mut idle = self.idle();
        if idle.closed || idle.of(kind).len() >= MANY {
            drop(idle);
            // It may be gone already.
            let _ = line.cut();
        } else {
            idle.returned += 1;
            idle.of(kind).push_back(line);
            drop(idle);
            self.more(kind).notify_one();
        }
    }

    fn more(&self, kind: Kind) -> &Condvar {
        let [bare, shells] = &self.more;
        match kind {
            Kind::Bare => bare,
            Kind::Shell => shells,
        }
    }

    /// Ends the broker and all cells.
    pub(super) fn close(&self) {
        let mut idle = self.idle();
        idle.closed = true;
        idle.bare.clear();
        idle.shells.clear();
        drop(idle);
        self.few.notify_all();
        self.more.iter().for_each(Condvar::notify_all);
        let broker = self.broker.lock().unwrap_or_else(PoisonError::into_inner);
        // It ends when nobody is left to serve; it may have already.
        let _ = rustix::net::shutdown(&*broker, rustix::net::Shutdown::Both);
    }

    fn idle(&self) -> MutexGuard<'_, Idle> {
        self.idle.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// One that is there, or comes back soon: while others do, it is worth waiting.
    fn pop(&self, kind: Kind) -> Option<Line> {
        let mut idle = self.idle();
        idle.asked = true;
        let mut returned = idle.returned;
        loop {
            let line = idle.of(kind).pop_front();
            if idle.of(kind).len() < FEW {
                self.few.notify_one();
            }
            if line.is_some() || idle.closed {
                return line;
            }
            let waited = self.more(kind).wait_timeout(idle, SOON);
            let (now, late) = waited.unwrap_or_else(PoisonError::into_inner);
            idle = now;
            if late.timed_out() && idle.of(kind).is_empty() && returned == idle.returned {
                return None;
            }
            returned = idle.returned;
        }
    }

    /// A cell that is new.
    fn made(&self) -> Result<Line, Error> {
        let connection = self.broker.lock().unwrap_or_else(PoisonError::into_inner);
        wire::send(&*connection, broker::CELL, &[]).map_err(gone)?;
        let answer = wire::receive(&*connection).map_err(gone)?;
        drop(connection);
        let files = answer.map(|(_, files)| files).unwrap_or_default();
        let [socket, process]: [OwnedFd; 2] =
            files.try_into().map_err(|_| Error::Gone { why: "its broker has ended".to_owned() })?;
        match wire::receive(&socket).map_err(gone)? {
            Some((words, _)) if words == cell::READY => {
                Ok(Line { socket: Arc::new(socket), process: Arc::new(process) })
            }
            Some((words, _)) => Err(unenforced(said(&words))),
            None => Err(unenforced("a cell ended at once".to_owned())),
        }
    }
}

/// Asks a cell to be ready for what comes next.
fn prepare(line: &Line, kind: Kind) -> io::Result<()> {
    match kind {
        Kind::Bare => Ok(()),
        Kind::Shell => wire::send(&line.socket, cell::SHELL, &[]),
    }
}

/// Keeps a few cells of each kind ready, and not many when nobody asks.
fn tend(pool: &Weak<Pool>) {
    while let Some(pool) = pool.upgrade() {
        let idle = pool.idle();
        if idle.closed {
            return;
        }
        let returned = idle.returned;
        let Some(kind) = lacking(&idle) else {
            rest(&pool, idle);
            continue;
        };
        drop(idle);
        if returned > 0 {
            thread::sleep(SOON);
            if pool.idle().returned != returned {
                continue;
            }
        }
        let made = pool.made().and_then(|line| {
            prepare(&line, kind).map_err(gone)?;
            Ok(line)
        });
        let Ok(line) = made else {
            // Whoever asks meanwhile learns why there is none.
            thread::sleep(PATIENCE);
            continue;
        };
        pool.idle().of(kind).push_back(line);
        pool.more(kind).notify_one();
    }
}

fn lacking(idle: &Idle) -> Option<Kind> {
    let all = [(Kind::Shell, &idle.shells), (Kind::Bare, &idle.bare)];
    all.into_iter().find(|(_, lines)| lines.len() < FEW).map(|(kind, _)| kind)
}

/// Waits until there are few; after a while in which nobody asked there are not many.
fn rest(pool: &Pool, idle: MutexGuard<'_, Idle>) {
    let waited = pool.few.wait_timeout(idle, PATIENCE);
    let (mut idle, late) = waited.unwrap_or_else(PoisonError::into_inner);
    if late.timed_out() && !std::mem::take(&mut idle.asked) {
        for kind in [Kind::Bare, Kind::Shell] {
            let many = idle.of(kind).len().min(FEW);
            for line in idle.of(kind).drain(many..) {
                // It may be gone already.
                let _ = line.cut();
            }
        }
    }
}

fn gone(why: io::Error) -> Error {
    Error::Gone { why: why.to_string() }
}

fn said(words: &[u8]) -> String {
    match cell::ended(words) {
        Some(ended) => format!("{ended:?}"),
        None if words.is_empty() => "its cell ended".to_owned(),
        None => String::from_utf8_lossy(words).into_owned(),
    }
}
