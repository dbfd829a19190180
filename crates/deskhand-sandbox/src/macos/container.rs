//! A container: one program and all its descendants.

use std::{
    io,
    os::{fd::BorrowedFd, unix::process::ExitStatusExt},
    process::{Child, Command, ExitStatus},
    sync::{
        Arc,
        atomic::{AtomicBool, AtomicU64, Ordering},
    },
    time::{Duration, Instant},
};

use parking_lot::{Condvar, Mutex};
use rustix::{
    io::Errno,
    process::{Pid, Signal, WaitId, WaitIdOptions, waitid},
};

use super::{
    processes,
    pty::{self, Pty},
    sandbox::SandboxContext,
    start::{self, StreamKind},
};
use crate::{
    Error, ExitReason, Request, TerminalSize, platform::timing::KILL_TIMEOUT,
    seatbelt::tag::ContainerTag,
};

/// Makes the tags of this process distinct.
static NEXT_CONTAINER: AtomicU64 = AtomicU64::new(0);

/// The place of one program and its descendants. The plan applies before the program starts, and all processes
/// end with the container.
#[derive(Debug)]
pub struct Container {
    context: Arc<SandboxContext>,
    started: AtomicBool,
    run: Arc<ProgramRun>,
}

/// The shared state of one program.
#[derive(Debug, Default)]
pub(super) struct ProgramRun {
    state: Mutex<RunState>,
    changed: Condvar,
    /// Held while a thread signals the program by its process id, and while another one releases that id.
    pid_lock: Mutex<()>,
}

#[derive(Debug, Default)]
struct RunState {
    phase: RunPhase,
    exit: Option<ExitReason>,
}

#[derive(Debug, Clone, Default)]
enum RunPhase {
    /// No program has started.
    #[default]
    NotStarted,
    /// The program runs, or waits to be reaped. Its process id is valid.
    Running(i32, ContainerTag),
    /// The program is being reaped. Its process id may belong to another process at any time.
    Reaping,
}

impl ProgramRun {
    fn finish(&self, exit: ExitReason) {
        let mut state = self.state.lock();
        state.phase = RunPhase::Reaping;
        state.exit.get_or_insert(exit);
        self.changed.notify_all();
    }

    /// Waits until the program has ended or the deadline has passed.
    fn wait_for_exit(&self, deadline: Option<Instant>) -> Option<ExitReason> {
        let mut state = self.state.lock();
        loop {
            if let Some(exit) = &state.exit {
                return Some(exit.clone());
            }
            match deadline.map(|deadline| deadline.saturating_duration_since(Instant::now())) {
                Some(Duration::ZERO) => return None,
                Some(left) => {
                    self.changed.wait_for(&mut state, left);
                }
                None => self.changed.wait(&mut state),
            }
        }
    }

    /// From here on, no thread may signal the program by its process id.
    fn begin_reaping(&self) {
        let _pid_lock = self.pid_lock.lock();
        self.state.lock().phase = RunPhase::Reaping;
    }

    /// Kills the program and its descendants. The waiting thread sees the end.
    pub(super) fn kill(&self) {
        let _pid_lock = self.pid_lock.lock();
        let phase = self.state.lock().phase.clone();
        match phase {
            RunPhase::NotStarted => self.finish(ExitReason::Signal(Signal::KILL.as_raw())),
            RunPhase::Running(leader, tag) => {
                // The waiting thread reports processes that hang in the kernel.
                processes::kill_family(leader, Some(&tag));
            }
            RunPhase::Reaping => {}
        }
    }
}

impl Container {
    pub(super) fn new(context: Arc<SandboxContext>) -> Self {
        let run = Arc::<ProgramRun>::default();
        context.add(&run);
        Self { context, started: AtomicBool::new(false), run }
    }

    /// Starts a program with these streams: input, output, errors. A container runs one program.
    ///
    /// # Errors
    ///
    /// Fails if the container is gone. [`Container::wait`] reports a program that cannot be started.
    pub fn start(&self, request: &Request, streams: [BorrowedFd<'_>; 3]) -> Result<(), Error> {
        self.claim_start(request)?;
        let [input, output, errors] = streams;
        let own = |file: BorrowedFd<'_>| file.try_clone_to_owned().map_err(broker_gone);
        let (input, output, errors) = (own(input)?, own(output)?, own(errors)?);
        let tag = new_tag().map_err(broker_gone)?;
        let prepared = self.context.command(request, &tag, None).map(|mut command| {
            command.stdin(input).stdout(output).stderr(errors);
            command
        });
        self.spawn(prepared, tag, StreamKind::Files)
    }

    /// Starts a program with a new pseudoterminal as its controlling terminal.
    ///
    /// # Errors
    ///
    /// Fails if the container is gone or no pseudoterminal is available.
    pub fn start_on_terminal(&self, request: &Request, size: TerminalSize) -> Result<Pty, Error> {
        self.claim_start(request)?;
        let refused = |reason: io::Error| Error::StartFailed {
            program: request.program.clone(),
            reason: reason.to_string(),
        };
        let pair = pty::open(size).map_err(refused)?;
        let tag = new_tag().map_err(broker_gone)?;
        let mut command = self.context.command(request, &tag, Some(&pair.name)).map_err(refused)?;
        let again = || pair.slave.try_clone().map_err(refused);
        command.stdin(again()?).stdout(again()?).stderr(again()?);
        self.spawn(Ok(command), tag, StreamKind::Pty)?;
        Ok(Pty { master: pair.master })
    }

    fn claim_start(&self, request: &Request) -> Result<(), Error> {
        let reason = if self.started.swap(true, Ordering::Relaxed) {
            "its container already has a program"
        } else if self.run.state.lock().exit.is_some() {
            "its container has ended"
        } else {
            return Ok(());
        };
        Err(Error::StartFailed { program: request.program.clone(), reason: reason.to_owned() })
    }

    fn spawn(
        &self,
        prepared: io::Result<Command>,
        tag: ContainerTag,
        streams: StreamKind,
    ) -> Result<(), Error> {
        let started = prepared.and_then(|mut command| {
            let (name, value) = tag.variable();
            command.env(name, value);
            start::isolate(&mut command, &self.context.plan.limits, streams)?;
            command.spawn()
        });
        match started {
            Ok(child) => self.follow(child, tag),
            Err(reason) => {
                self.run.finish(ExitReason::NotStarted(reason.to_string()));
                Ok(())
            }
        }
    }

    /// Starts a thread that waits for the end of the program.
    fn follow(&self, mut child: Child, tag: ContainerTag) -> Result<(), Error> {
        let pid =
            i32::try_from(child.id()).map_err(|error| broker_gone(io::Error::other(error)))?;
        let too_late = {
            let mut state = self.run.state.lock();
            state.phase = RunPhase::Running(pid, tag.clone());
            state.exit.is_some()
        };
        let (broker, run) = (self.context.broker.clone(), self.run.clone());
        let reported = broker.report_start(pid, &tag);
        let follow = move || {
            wait_and_kill_family(pid, &tag);
            run.begin_reaping();
            let exit = match child.wait() {
                Ok(status) => exit_reason(status),
                Err(reason) => ExitReason::NotStarted(reason.to_string()),
            };
            broker.report_end(pid);
            run.finish(exit);
        };
        let followed =
            std::thread::Builder::new().name("sandbox container".to_owned()).spawn(follow);
        if let Err(reason) = reported.and(followed.map(drop)) {
            // Without a broker or a waiting thread the program could outlive the server.
            self.run.kill();
            self.run.finish(ExitReason::Signal(Signal::KILL.as_raw()));
            return Err(broker_gone(reason));
        }
        if too_late {
            // The sandbox was dropped while the program started.
            self.run.kill();
        }
        Ok(())
    }

    /// Waits for the end of the program. Its descendants are killed before this returns.
    ///
    /// # Errors
    ///
    /// Fails if the exit was not observed.
    pub fn wait(&self) -> Result<ExitReason, Error> {
        let exit = self.run.wait_for_exit(None);
        exit.ok_or_else(|| Error::Gone { reason: "its exit was not observed".to_owned() })
    }

    /// Waits for the end of the program until the deadline. Returns `None` if it still runs.
    ///
    /// # Errors
    ///
    /// This function never fails on this platform.
    pub fn wait_until(&self, deadline: Instant) -> Result<Option<ExitReason>, Error> {
        Ok(self.run.wait_for_exit(Some(deadline)))
    }

    /// Kills the program and its descendants. None is left when this returns.
    ///
    /// # Errors
    ///
    /// Fails if a process does not end in time.
    pub fn kill(&self) -> Result<(), Error> {
        self.run.kill();
        match self.run.wait_for_exit(Some(Instant::now() + KILL_TIMEOUT)) {
            Some(_) => Ok(()),
            None => Err(Error::Gone { reason: "its processes do not end".to_owned() }),
        }
    }
}

impl Drop for Container {
    fn drop(&mut self) {
        self.run.kill();
    }
}

/// Creates a unique tag.
fn new_tag() -> io::Result<ContainerTag> {
    let number = NEXT_CONTAINER.fetch_add(1, Ordering::Relaxed);
    Ok(ContainerTag::new(std::process::id(), processes::now()?, number))
}

/// Waits for a program without reaping it, so that its process id stays valid until its descendants are killed.
fn wait_and_kill_family(pid: i32, tag: &ContainerTag) {
    if let Some(pid) = Pid::from_raw(pid) {
        let quiet = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT;
        while matches!(waitid(WaitId::Pid(pid), quiet), Err(Errno::INTR)) {}
    }
    // A process that hangs in the kernel must not block the waiting thread.
    processes::kill_family(pid, Some(tag));
}

fn exit_reason(status: ExitStatus) -> ExitReason {
    match (status.code(), status.signal()) {
        (Some(code), _) => ExitReason::Exit(code),
        (None, signal) => ExitReason::Signal(signal.unwrap_or_default()),
    }
}

fn broker_gone(reason: io::Error) -> Error {
    Error::Gone { reason: reason.to_string() }
}
