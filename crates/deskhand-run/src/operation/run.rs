//! Runs one operation in the thread it is called in, from its first program to its end.

use std::{
    io::{self, PipeReader},
    os::fd::AsFd,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use deskhand_sandbox::{Cell, Request, Script};
use rustix::{
    buffer::spare_capacity,
    event::{PollFd, PollFlags, Timespec, poll},
    io::{Errno, read},
};

use super::{Ended, Listener, Outcome, Skip, State, Step, Work, handle::Operation, news::Teller};
use crate::{Error, floor::Floor};

/// Bytes read at once: what a pipe holds.
const CHUNK: usize = 64 << 10;

/// The longest time anything may run.
const LONGEST: Duration = Duration::from_hours(24);

/// How long output is read after the end of its program. Only one that was handed to somebody outside
/// is open that long.
const GRACE: Duration = Duration::from_secs(1);

/// How long a command is given to end before its output is read, where nobody hears of that meanwhile: most
/// end sooner and print less than a pipe holds, and their thread wakes up once instead of three times.
const BRIEF: Duration = Duration::from_millis(10);

/// Runs an operation whose turn has come.
pub(crate) fn run(operation: &Operation, floor: &Floor, timeout: Duration) {
    let now = Instant::now();
    let Some(work) = operation.begin(now) else { return };
    let timeout = operation.timeout().unwrap_or(timeout).min(LONGEST);
    let mut run = Run {
        operation,
        floor,
        timeout,
        until: now + timeout,
        teller: Teller::new(operation),
        buffer: Vec::with_capacity(CHUNK),
    };
    let last = match &work {
        Work::Shell { script, folder } => run.shell(script, folder).map(Some),
        Work::Steps(steps) => run.steps(steps),
    };
    run.teller.close();
    drop(work);
    operation.finish(last.map_err(|error| error.to_string()).transpose());
}

struct Run<'a> {
    operation: &'a Operation,
    floor: &'a Floor,
    timeout: Duration,
    until: Instant,
    teller: Teller<'a>,
    buffer: Vec<u8>,
}

/// What came of waiting for output.
enum Came {
    /// There is some.
    Output,
    /// There will be none.
    Nothing,
    /// The time is over.
    TooLate,
}

impl Run<'_> {
    fn shell(&mut self, script: &str, folder: &Path) -> Result<Ended, Error> {
        // A shell begins in the scope.
        let folder = if folder == self.floor.scope() { Path::new("") } else { folder };
        let script =
            Script { text: script.to_owned(), folder: folder.to_owned(), ..Script::default() };
        let (cell, output) = self.floor.shell()?.run(&script)?;
        self.follow_to_the_end(cell, &output)
    }

    /// Runs steps until one fails; the end of the last one that ran.
    fn steps(&mut self, steps: &[Step]) -> Result<Option<Ended>, Error> {
        let mut last = None;
        for (index, step) in steps.iter().enumerate() {
            let until = (Instant::now() + step.delay_before).min(self.until);
            if !step.delay_before.is_zero() && !self.operation.pause(until) {
                return Ok(last);
            }
            if Instant::now() >= self.until {
                self.too_late();
                return Ok(last);
            }
            if let Some(why) = self.left_out(step) {
                self.operation.report(index, |report, at| {
                    report.outcome = Outcome::Skipped(why);
                    report.output = at..at;
                });
                continue;
            }
            self.operation.report(index, |report, at| {
                report.outcome = Outcome::Running;
                report.output = at..at;
            });
            let began = Instant::now();
            let ended =
                self.step(step).unwrap_or_else(|error| Ended::NotStarted(error.to_string()));
            self.operation.report(index, |report, at| {
                report.outcome = Outcome::Ended(ended.clone());
                report.output.end = at;
                report.took = began.elapsed();
            });
            let failed = ended != Ended::Exit(0);
            last = Some(ended);
            if failed || self.operation.is_stopped() {
                break;
            }
        }
        Ok(last)
    }

    fn step(&mut self, step: &Step) -> Result<Ended, Error> {
        let request = Request {
            program: step.program.clone(),
            arguments: step.arguments.clone(),
            folder: step.folder.clone(),
            ..Request::default()
        };
        let cell = self.floor.cell()?;
        let failed = |why| Error::System { what: "pipes for a program", why };
        let (output, writer) = io::pipe().map_err(failed)?;
        // A pipe that nobody writes to is empty, and nothing else: /dev/null, opened out here, could be
        // changed through its descriptor for the whole machine.
        let (input, _) = io::pipe().map_err(failed)?;
        cell.begin(&request, [input.as_fd(), writer.as_fd(), writer.as_fd()])?;
        drop(writer);
        self.follow_to_the_end(cell, &output)
    }

    /// Why a step is left out, if it is.
    fn left_out(&self, step: &Step) -> Option<String> {
        let scope = self.floor.scope();
        let is_there = |path: &Path| {
            let real = step.folder.join(path).canonicalize();
            real.is_ok_and(|real| real.starts_with(scope))
        };
        match step.skip.as_ref()? {
            Skip::IfExists(path) => is_there(path).then(|| format!("{} is there", path.display())),
            Skip::IfMissing(path) => {
                (!is_there(path)).then(|| format!("{} is not there", path.display()))
            }
        }
    }

    /// Reads all a program prints and waits for its end, which comes in time or is made to.
    fn follow_to_the_end(&mut self, cell: Cell, output: &PipeReader) -> Result<Ended, Error> {
        let cell = Arc::new(cell);
        if !self.operation.hold(&cell) {
            cell.kill()?;
        }
        let soon = match self.operation.listener() {
            Listener::Nobody => cell.wait_until(self.until.min(Instant::now() + BRIEF))?,
            Listener::Hears(_) => None,
        };
        while let Came::Output = self.more(output, self.until)? {}
        let ended = match soon {
            Some(ended) => Some(ended),
            None => cell.wait_until(self.until)?,
        };
        if let Some(ended) = ended {
            return Ok(ended);
        }
        self.too_late();
        cell.kill()?;
        let until = Instant::now() + GRACE;
        while let Came::Output = self.more(output, until)? {}
        Ok(cell.wait()?)
    }

    /// Takes the next output, and says meanwhile what is to be said.
    fn more(&mut self, output: &PipeReader, until: Instant) -> Result<Came, Error> {
        let failed = |errno: Errno| Error::System { what: "reading its output", why: errno.into() };
        loop {
            let now = Instant::now();
            self.teller.say_in_time(now);
            if now >= until {
                return Ok(Came::TooLate);
            }
            let wake = self.teller.due().map_or(until, |due| due.min(until));
            match poll(&mut [PollFd::new(output, PollFlags::IN)], span(now, wake).as_ref()) {
                Ok(0) | Err(Errno::INTR) => continue,
                Ok(_) => {}
                Err(errno) => return Err(failed(errno)),
            }
            self.buffer.clear();
            match read(output, spare_capacity(&mut self.buffer)) {
                Ok(0) => return Ok(Came::Nothing),
                Ok(_) => {
                    let printed = self.operation.print(&self.buffer);
                    self.teller.note(printed, now);
                    return Ok(Came::Output);
                }
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(errno) => return Err(failed(errno)),
            }
        }
    }

    fn too_late(&self) {
        let words = format!("it took longer than {} and was ended", in_words(self.timeout));
        self.operation.stop(State::TimedOut, words);
    }
}

/// Time between two moments, as the kernel takes it; a very long one is forever.
fn span(from: Instant, to: Instant) -> Option<Timespec> {
    Timespec::try_from(to.saturating_duration_since(from)).ok()
}

fn in_words(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let unit = if time == Duration::from_secs(1) { "second" } else { "seconds" };
    format!("{seconds} {unit}")
}
