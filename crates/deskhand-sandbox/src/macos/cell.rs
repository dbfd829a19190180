//! A cell: a place for one program, and all it starts.

use std::{
    io,
    os::{fd::BorrowedFd, unix::process::ExitStatusExt},
    process::{Child, Command, ExitStatus},
    sync::{
        Arc, Condvar, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use rustix::{
    io::Errno,
    process::{Pid, Signal, WaitId, WaitIdOptions, waitid},
};

use super::{
    processes,
    sandbox::Held,
    start::{self, Streams},
    terminal::{self, Terminal},
};
use crate::{Ended, Error, Request, Size, seatbelt::mark::Mark};

/// How long the kernel may take to end what is killed; it waits for a slow disk at the most.
const PATIENCE: Duration = Duration::from_secs(30);

/// Tells one cell from another of the same process.
static CELLS: AtomicU64 = AtomicU64::new(0);

/// A place for one program, held to the plan before it begins. What runs in it ends with it.
#[derive(Debug)]
pub struct Cell {
    held: Arc<Held>,
    begun: AtomicBool,
    course: Arc<Course>,
}

/// What becomes of a program.
#[derive(Debug, Default)]
pub(super) struct Course {
    state: Mutex<State>,
    changed: Condvar,
    /// Taken by whoever signals by the number of the program, and by whoever gives that number back.
    number: Mutex<()>,
}

#[derive(Debug, Default)]
struct State {
    stage: Stage,
    ended: Option<Ended>,
}

#[derive(Debug, Clone, Default)]
enum Stage {
    /// Nothing was begun.
    #[default]
    New,
    /// A program runs, or waits to be asked how it ended: its number is its own.
    Running(i32, Mark),
    /// It is being asked: its number may be another's at any time.
    Asked,
}

impl Course {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn end(&self, how: Ended) {
        let mut state = self.state();
        state.stage = Stage::Asked;
        state.ended.get_or_insert(how);
        self.changed.notify_all();
    }

    /// Waits until it has ended, at the longest until then.
    fn ended_by(&self, until: Option<Instant>) -> Option<Ended> {
        let mut state = self.state();
        loop {
            if let Some(ended) = &state.ended {
                return Some(ended.clone());
            }
            state = match until.map(|until| until.saturating_duration_since(Instant::now())) {
                Some(Duration::ZERO) => return None,
                Some(left) => {
                    let woken = self.changed.wait_timeout(state, left);
                    woken.unwrap_or_else(PoisonError::into_inner).0
                }
                None => self.changed.wait(state).unwrap_or_else(PoisonError::into_inner),
            };
        }
    }

    /// From here on nobody signals by the number of the program.
    fn ask(&self) {
        let _number = self.number.lock().unwrap_or_else(PoisonError::into_inner);
        self.state().stage = Stage::Asked;
    }

    /// Ends the program and all that belongs to it; its waiter sees the end.
    pub(super) fn cut(&self) {
        let _number = self.number.lock().unwrap_or_else(PoisonError::into_inner);
        let stage = self.state().stage.clone();
        match stage {
            Stage::New => self.end(Ended::Signal(Signal::KILL.as_raw())),
            Stage::Running(leader, mark) => {
                // What hangs in the kernel is told by whoever waits for the end.
                processes::end(leader, Some(&mark));
            }
            Stage::Asked => {}
        }
    }
}

impl Cell {
    pub(super) fn new(held: Arc<Held>) -> Self {
        let course = Arc::<Course>::default();
        held.add(&course);
        Self { held, begun: AtomicBool::new(false), course }
    }

    /// Runs a program on three streams: input, output, errors. A cell runs one.
    ///
    /// # Errors
    ///
    /// When the cell is gone; a program that cannot be started is told by [`Cell::wait`].
    pub fn begin(&self, request: &Request, streams: [BorrowedFd<'_>; 3]) -> Result<(), Error> {
        self.only_once(request)?;
        let [input, output, errors] = streams;
        let own = |file: BorrowedFd<'_>| file.try_clone_to_owned().map_err(gone);
        let (input, output, errors) = (own(input)?, own(output)?, own(errors)?);
        let mark = marked().map_err(gone)?;
        let prepared = self.held.command(request, &mark, None).map(|mut command| {
            command.stdin(input).stdout(output).stderr(errors);
            command
        });
        self.start(prepared, mark, Streams::Files)
    }

    /// Runs a program on a terminal of its own, which it controls.
    ///
    /// # Errors
    ///
    /// When the cell is gone, or there is no terminal for it.
    pub fn begin_on_terminal(&self, request: &Request, size: Size) -> Result<Terminal, Error> {
        self.only_once(request)?;
        let refused = |why: io::Error| Error::Start {
            program: request.program.clone(),
            why: why.to_string(),
        };
        let ends = terminal::open(size).map_err(refused)?;
        let mark = marked().map_err(gone)?;
        let mut command = self.held.command(request, &mark, Some(&ends.name)).map_err(refused)?;
        let again = || ends.inside.try_clone().map_err(refused);
        command.stdin(again()?).stdout(again()?).stderr(again()?);
        self.start(Ok(command), mark, Streams::Terminal)?;
        Ok(Terminal { end: ends.outside })
    }

    fn only_once(&self, request: &Request) -> Result<(), Error> {
        let why = if self.begun.swap(true, Ordering::Relaxed) {
            "its cell has a program already"
        } else if self.course.state().ended.is_some() {
            "its cell has ended"
        } else {
            return Ok(());
        };
        Err(Error::Start { program: request.program.clone(), why: why.to_owned() })
    }

    fn start(
        &self,
        prepared: io::Result<Command>,
        mark: Mark,
        streams: Streams,
    ) -> Result<(), Error> {
        let begun = prepared.and_then(|mut command| {
            let (name, value) = mark.variable();
            command.env(name, value);
            start::apart(&mut command, &self.held.plan.bounds, streams)?;
            command.spawn()
        });
        match begun {
            Ok(child) => self.follow(child, mark),
            Err(why) => {
                self.course.end(Ended::NotStarted(why.to_string()));
                Ok(())
            }
        }
    }

    /// Waits for the end of a program on a thread of its own.
    fn follow(&self, mut child: Child, mark: Mark) -> Result<(), Error> {
        let pid = i32::try_from(child.id()).map_err(|error| gone(io::Error::other(error)))?;
        let too_late = {
            let mut state = self.course.state();
            state.stage = Stage::Running(pid, mark.clone());
            state.ended.is_some()
        };
        let (watcher, course) = (self.held.watcher.clone(), self.course.clone());
        let told = watcher.began(pid, &mark);
        let follow = move || {
            until_over(pid, &mark);
            course.ask();
            let ended = match child.wait() {
                Ok(status) => how(status),
                Err(why) => Ended::NotStarted(why.to_string()),
            };
            watcher.ended(pid);
            course.end(ended);
        };
        let followed = std::thread::Builder::new().name("sandbox cell".to_owned()).spawn(follow);
        if let Err(why) = told.and(followed.map(drop)) {
            // Nobody would end it with the server, or see its end.
            self.course.cut();
            self.course.end(Ended::Signal(Signal::KILL.as_raw()));
            return Err(gone(why));
        }
        if too_late {
            // The sandbox ended while the program began.
            self.course.cut();
        }
        Ok(())
    }

    /// Waits for the end of its program. What that left behind is ended right before.
    ///
    /// # Errors
    ///
    /// When the connection to the cell fails.
    pub fn wait(&self) -> Result<Ended, Error> {
        let ended = self.course.ended_by(None);
        ended.ok_or_else(|| Error::Gone { why: "nobody saw it end".to_owned() })
    }

    /// Waits for the end of its program, but not longer than this.
    ///
    /// # Errors
    ///
    /// When the connection to the cell fails.
    pub fn wait_until(&self, until: Instant) -> Result<Option<Ended>, Error> {
        Ok(self.course.ended_by(Some(until)))
    }

    /// Ends its program and everything that started from it; none of it is left afterwards.
    ///
    /// # Errors
    ///
    /// When the kernel does not let it.
    pub fn kill(&self) -> Result<(), Error> {
        self.course.cut();
        match self.course.ended_by(Some(Instant::now() + PATIENCE)) {
            Some(_) => Ok(()),
            None => Err(Error::Gone { why: "its programs do not end".to_owned() }),
        }
    }
}

impl Drop for Cell {
    fn drop(&mut self) {
        self.course.cut();
    }
}

/// A mark nobody else has.
fn marked() -> io::Result<Mark> {
    let number = CELLS.fetch_add(1, Ordering::Relaxed);
    Ok(Mark::new(std::process::id(), processes::now()?, number))
}

/// Waits for a program without asking how it ended, so that its number stays its own until what it started
/// is ended, too.
fn until_over(pid: i32, mark: &Mark) {
    if let Some(pid) = Pid::from_raw(pid) {
        let quiet = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while matches!(waitid(WaitId::Pid(pid), quiet), Err(Errno::INTR)) {}
    }
    // What hangs in the kernel keeps nobody waiting.
    processes::end(pid, Some(mark));
}

fn how(status: ExitStatus) -> Ended {
    match (status.code(), status.signal()) {
        (Some(code), _) => Ended::Exit(code),
        (None, signal) => Ended::Signal(signal.unwrap_or_default()),
    }
}

fn gone(why: io::Error) -> Error {
    Error::Gone { why: why.to_string() }
}
