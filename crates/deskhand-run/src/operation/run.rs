//! Runs one operation in the current thread, from its first program to its end.

use std::{
    io::{self, PipeReader},
    os::fd::AsFd,
    path::Path,
    sync::Arc,
    time::{Duration, Instant},
};

use deskhand_sandbox::{Container, Request, Script};
use rustix::{
    buffer::spare_capacity,
    event::{PollFd, PollFlags, Timespec, poll},
    io::{Errno, read},
};

use super::{
    ExitReason, OperationObserver, OperationState, ProgramStep, Skip, StepOutcome, Work,
    handle::Operation, output_notifier::OutputNotifier,
};
use crate::{
    Error,
    session_sandbox::SessionSandbox,
    timing::{DRAIN_TIMEOUT, MAX_RUN_TIME, SHORT_COMMAND_WAIT},
};

/// Number of bytes to read at once: the capacity of a pipe.
const READ_SIZE: usize = 64 << 10;

/// Runs an operation whose turn has come.
pub(crate) fn run(operation: &Operation, sandbox: &SessionSandbox, timeout: Duration) {
    let now = Instant::now();
    let Some(work) = operation.start(now) else { return };
    let timeout = operation.timeout().unwrap_or(timeout).min(MAX_RUN_TIME);
    let mut run = Run {
        operation,
        sandbox,
        timeout,
        deadline: now + timeout,
        notifier: OutputNotifier::new(operation),
        buffer: Vec::with_capacity(READ_SIZE),
    };
    let last = match &work {
        Work::Shell { script, folder } => run.shell(script, folder).map(Some),
        Work::Steps(steps) => run.steps(steps),
    };
    run.notifier.flush();
    drop(work);
    operation.finish(last.map_err(|error| error.to_string()).transpose());
}

struct Run<'a> {
    operation: &'a Operation,
    sandbox: &'a SessionSandbox,
    timeout: Duration,
    deadline: Instant,
    notifier: OutputNotifier<'a>,
    buffer: Vec<u8>,
}

/// The result of waiting for output.
enum ReadOutcome {
    /// There is output.
    Output,
    /// The pipe is closed.
    Closed,
    /// The deadline has passed.
    TimedOut,
}

impl Run<'_> {
    fn shell(&mut self, script: &str, folder: &Path) -> Result<ExitReason, Error> {
        // An empty folder means the scope, where the shell already is.
        let folder = if folder == self.sandbox.scope() { Path::new("") } else { folder };
        let script =
            Script { text: script.to_owned(), folder: folder.to_owned(), ..Script::default() };
        let (container, output) = self.sandbox.shell()?.run(&script)?;
        self.read_until_exit(container, &output)
    }

    /// Runs steps until one fails. Returns the exit reason of the last one that ran.
    fn steps(&mut self, steps: &[ProgramStep]) -> Result<Option<ExitReason>, Error> {
        let mut last = None;
        for (index, step) in steps.iter().enumerate() {
            let deadline = (Instant::now() + step.delay_before).min(self.deadline);
            if !step.delay_before.is_zero() && !self.operation.sleep_until(deadline) {
                return Ok(last);
            }
            if Instant::now() >= self.deadline {
                self.mark_timed_out();
                return Ok(last);
            }
            if let Some(reason) = self.skip_reason(step) {
                self.operation.update_step(index, |report, at| {
                    report.outcome = StepOutcome::Skipped(reason);
                    report.output = at..at;
                });
                continue;
            }
            self.operation.update_step(index, |report, at| {
                report.outcome = StepOutcome::Running;
                report.output = at..at;
            });
            let started = Instant::now();
            let exit =
                self.step(step).unwrap_or_else(|error| ExitReason::NotStarted(error.to_string()));
            self.operation.update_step(index, |report, at| {
                report.outcome = StepOutcome::Exited(exit.clone());
                report.output.end = at;
                report.duration = started.elapsed();
            });
            let failed = exit != ExitReason::Exit(0);
            last = Some(exit);
            if failed || self.operation.is_stopped() {
                break;
            }
        }
        Ok(last)
    }

    fn step(&mut self, step: &ProgramStep) -> Result<ExitReason, Error> {
        let request = Request {
            program: step.program.clone(),
            arguments: step.arguments.clone(),
            folder: step.folder.clone(),
            ..Request::default()
        };
        let container = self.sandbox.container()?;
        let failed = |reason| Error::System { action: "creating a pipe", reason };
        let (output, writer) = io::pipe().map_err(failed)?;
        // The input is a closed pipe, not /dev/null: through a descriptor opened outside the sandbox a program
        // could change the mode of /dev/null for the whole machine.
        let (input, _) = io::pipe().map_err(failed)?;
        container.start(&request, [input.as_fd(), writer.as_fd(), writer.as_fd()])?;
        drop(writer);
        self.read_until_exit(container, &output)
    }

    /// Returns the reason why a step is skipped.
    fn skip_reason(&self, step: &ProgramStep) -> Option<String> {
        let scope = self.sandbox.scope();
        let is_there = |path: &Path| {
            let real = step.folder.join(path).canonicalize();
            real.is_ok_and(|real| real.starts_with(scope))
        };
        match step.skip.as_ref()? {
            Skip::IfExists(path) => is_there(path).then(|| format!("{} exists", path.display())),
            Skip::IfMissing(path) => {
                (!is_there(path)).then(|| format!("{} does not exist", path.display()))
            }
        }
    }

    /// Reads all output of a program and waits for its exit. Kills it at the deadline.
    fn read_until_exit(
        &mut self,
        container: Container,
        output: &PipeReader,
    ) -> Result<ExitReason, Error> {
        let container = Arc::new(container);
        if !self.operation.attach_container(&container) {
            container.kill()?;
        }
        let early_exit = match self.operation.observer() {
            OperationObserver::None => {
                container.wait_until(self.deadline.min(Instant::now() + SHORT_COMMAND_WAIT))?
            }
            OperationObserver::Callback(_) => None,
        };
        while let ReadOutcome::Output = self.read_output(output, self.deadline)? {}
        let exit = match early_exit {
            Some(exit) => Some(exit),
            None => container.wait_until(self.deadline)?,
        };
        if let Some(exit) = exit {
            return Ok(exit);
        }
        self.mark_timed_out();
        container.kill()?;
        let deadline = Instant::now() + DRAIN_TIMEOUT;
        while let ReadOutcome::Output = self.read_output(output, deadline)? {}
        Ok(container.wait()?)
    }

    /// Reads the next output, and sends due notifications while it waits.
    fn read_output(
        &mut self,
        output: &PipeReader,
        deadline: Instant,
    ) -> Result<ReadOutcome, Error> {
        let failed =
            |errno: Errno| Error::System { action: "reading output", reason: errno.into() };
        loop {
            let now = Instant::now();
            self.notifier.send_if_due(now);
            if now >= deadline {
                return Ok(ReadOutcome::TimedOut);
            }
            let wake = self.notifier.next_due().map_or(deadline, |next_due| next_due.min(deadline));
            match poll(
                &mut [PollFd::new(output, PollFlags::IN)],
                timespec_between(now, wake).as_ref(),
            ) {
                Ok(0) | Err(Errno::INTR) => continue,
                Ok(_) => {}
                Err(errno) => return Err(failed(errno)),
            }
            self.buffer.clear();
            match read(output, spare_capacity(&mut self.buffer)) {
                Ok(0) => return Ok(ReadOutcome::Closed),
                Ok(_) => {
                    let total = self.operation.push_output(&self.buffer);
                    self.notifier.set_total(total, now);
                    return Ok(ReadOutcome::Output);
                }
                Err(Errno::INTR | Errno::AGAIN) => {}
                Err(errno) => return Err(failed(errno)),
            }
        }
    }

    fn mark_timed_out(&self) {
        let reason = format!("it timed out after {} and was killed", format_duration(self.timeout));
        self.operation.stop(OperationState::TimedOut, reason);
    }
}

/// Returns the time between two instants for `poll`. `None` waits forever.
fn timespec_between(from: Instant, to: Instant) -> Option<Timespec> {
    Timespec::try_from(to.saturating_duration_since(from)).ok()
}

fn format_duration(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    let unit = if time == Duration::from_secs(1) { "second" } else { "seconds" };
    format!("{seconds} {unit}")
}
