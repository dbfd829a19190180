//! A cell: a process of its own, already held to the plan, that runs one program after the other and
//! leaves nothing of one to the next.

use std::{
    io,
    os::{
        fd::{AsFd, OwnedFd},
        unix::process::{CommandExt as _, ExitStatusExt as _},
    },
    process::Command,
};

use rustix::{
    io::Errno,
    process::{Pid, Signal, WaitOptions, getpid, kill_process_group, wait},
    pty::{OpenptFlags, ioctl_tiocgptpeer, openpt, unlockpt},
    termios::{Winsize, tcsetwinsize},
};

use super::{confine::Hold, fork, leftovers, orphans, wire};
use crate::{Ended, Plan, Request, Size, lookup};

/// What a cell says when it is held and waits.
pub(super) const READY: &[u8] = b"ready";

/// What a cell is asked: to run a program on three streams.
pub(super) const RUN: &[u8] = b"run";

/// What a cell is asked: to run a program on a terminal, whose other end it sends back.
pub(super) const TERMINAL: &[u8] = b"terminal";

/// What a cell is asked: to start a shell, and to send back where its script goes and its output comes.
pub(super) const SHELL: &[u8] = b"shell";

/// What a shell is given: it reads its script from standard input before that becomes the script's.
pub(super) const SCRIPT: [&str; 3] = ["-c", ". /dev/fd/0", "sh"];

/// Runs programs until nobody is left to ask for any.
pub(super) fn serve(plan: &Plan, hold: &Hold, socket: &OwnedFd) -> io::Result<()> {
    wire::send(socket, READY, &[])?;
    let mut next = wire::receive(socket)?;
    while let Some((words, files)) = next {
        let begun = match &*words {
            RUN => on_streams(plan, files),
            TERMINAL => on_terminal(plan, socket, files),
            SHELL => shell(plan, socket),
            other => Err(io::Error::other(format!("{other:?} is not known"))),
        };
        let ended = match begun {
            Ok(child) => end_of(child),
            Err(error) => {
                let why = error.to_string();
                Ended::NotStarted(String::from_utf8_lossy(wire::short(&why)).into_owned())
            }
        };
        wire::send(socket, &serde_json::to_vec(&ended)?, &[])?;
        clear(hold)?;
        // After a shell comes a shell: it is not waited for the word.
        let again = words == SHELL && matches!(ended, Ended::Exit(_));
        next = if again { Some((words, Vec::new())) } else { wire::receive(socket)? };
    }
    Ok(())
}

fn shell(plan: &Plan, socket: &OwnedFd) -> io::Result<u32> {
    let (input, script) = io::pipe()?;
    let (output, writer) = io::pipe()?;
    let request = Request {
        program: "/bin/sh".to_owned(),
        arguments: SCRIPT.map(str::to_owned).into(),
        folder: plan.scope.clone(),
        ..Request::default()
    };
    let mut command = command(plan, &request)?;
    let child = start(command.stdin(input).stdout(writer.try_clone()?).stderr(writer))?;
    // The command itself still holds the other ends.
    drop(command);
    wire::send(socket, SHELL, &[script.as_fd(), output.as_fd()])?;
    Ok(child)
}

fn on_streams(plan: &Plan, files: Vec<OwnedFd>) -> io::Result<u32> {
    let [request, input, output, errors]: [OwnedFd; 4] =
        files.try_into().map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
    let request: Request = wire::read(request)?;
    start(command(plan, &request)?.stdin(input).stdout(output).stderr(errors))
}

fn on_terminal(plan: &Plan, socket: &OwnedFd, files: Vec<OwnedFd>) -> io::Result<u32> {
    let [message]: [OwnedFd; 1] =
        files.try_into().map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
    let (request, size): (Request, Size) = wire::read(message)?;
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let outside = openpt(flags)?;
    unlockpt(&outside)?;
    tcsetwinsize(&outside, winsize(size))?;
    let inside = ioctl_tiocgptpeer(&outside, flags)?;
    wire::send(socket, TERMINAL, &[outside.as_fd()])?;
    let mut command = command(plan, &request)?;
    command.stdin(inside.try_clone()?).stdout(inside.try_clone()?).stderr(inside);
    fork::on_terminal(&mut command);
    command.spawn().map(|child| child.id())
}

pub(super) fn winsize(size: Size) -> Winsize {
    Winsize { ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0 }
}

fn start(command: &mut Command) -> io::Result<u32> {
    // Apart from this process: what is done to a group must not be done to it.
    command.process_group(0).spawn().map(|child| child.id())
}

fn command(plan: &Plan, request: &Request) -> io::Result<Command> {
    let mut variables = plan.environment.clone();
    variables.extend(request.environment.clone());
    if !request.folder.is_dir() {
        let why = format!("there is no folder {}", request.folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, why));
    }
    let mut command = Command::new(lookup::program(&request.program, &variables)?);
    command.args(&request.arguments).env_clear().envs(variables).current_dir(&request.folder);
    Ok(command)
}

fn end_of(child: u32) -> Ended {
    loop {
        // Orphans come to this process, too.
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid.as_raw_nonzero().get().cast_unsigned() == child => {
                let status = std::process::ExitStatus::from_raw(status.as_raw());
                return match (status.code(), status.signal()) {
                    (Some(code), _) => Ended::Exit(code),
                    (None, signal) => Ended::Signal(signal.unwrap_or_default()),
                };
            }
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return Ended::NotStarted(errno.to_string()),
        }
    }
}

/// Ends whatever a program left; the next one must find the cell as this one did.
fn clear(hold: &Hold) -> io::Result<()> {
    match hold {
        Hold::None => orphans::end(&[]),
        Hold::Kernel(_) => loop {
            match wait(WaitOptions::NOHANG) {
                // Everything in the namespace descends from its first process.
                Err(Errno::CHILD) => {
                    first_of_all()?;
                    return leftovers::remove();
                }
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => {
                    signal_all()?;
                    // One at least is dying.
                    let _ = wait(WaitOptions::empty());
                }
                Err(errno) => return Err(errno.into()),
            }
        },
    }
}

/// Fails unless this process is the first of namespaces of its own.
fn first_of_all() -> io::Result<()> {
    if getpid() == Pid::INIT {
        return Ok(());
    }
    Err(io::Error::other("this would reach what is others'"))
}

/// Ends every process of the namespace this one is the first of.
fn signal_all() -> io::Result<()> {
    first_of_all()?;
    match kill_process_group(Pid::INIT, Signal::KILL) {
        // The last one has ended since.
        Ok(()) | Err(Errno::SRCH) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

/// Reads how a program ended.
pub(super) fn ended(words: &[u8]) -> Option<Ended> {
    serde_json::from_slice(words).ok()
}
