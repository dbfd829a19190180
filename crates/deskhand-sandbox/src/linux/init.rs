//! The first process of a container. It is already confined, runs one program after the other, and cleans up
//! after each.

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

use super::{confine::Confinement, fork, ipc, orphans, wire};
use crate::{ExitReason, Plan, Request, TerminalSize, lookup};

/// The message of a container that is confined and waits.
pub(super) const READY: &[u8] = b"ready";

/// Request: run a program on three streams.
pub(super) const RUN: &[u8] = b"run";

/// Request: run a program on a new pseudoterminal. The reply contains its master side.
pub(super) const TERMINAL: &[u8] = b"terminal";

/// Request: start a shell. The reply contains the pipe for the script and the pipe with its output.
pub(super) const SHELL: &[u8] = b"shell";

/// Arguments of the shell: it reads the whole script from standard input before it runs it.
pub(super) const SHELL_ARGUMENTS: [&str; 3] = ["-c", ". /dev/fd/0", "sh"];

/// Runs programs until the server closes the connection.
pub(super) fn serve(plan: &Plan, confinement: &Confinement, socket: &OwnedFd) -> io::Result<()> {
    wire::send(socket, READY, &[])?;
    let mut next = wire::receive(socket)?;
    while let Some((message, files)) = next {
        let started = match &*message {
            RUN => start_on_streams(plan, files),
            TERMINAL => start_on_pty(plan, socket, files),
            SHELL => shell(plan, socket),
            other => Err(io::Error::other(format!("unknown request {other:?}"))),
        };
        let exit = match started {
            Ok(child) => wait_for(child),
            Err(error) => {
                let reason = error.to_string();
                ExitReason::NotStarted(
                    String::from_utf8_lossy(wire::truncate_reason(&reason)).into_owned(),
                )
            }
        };
        wire::send(socket, &serde_json::to_vec(&exit)?, &[])?;
        clean_up(confinement)?;
        // A shell is followed by another one without a new request.
        let again = message == SHELL && matches!(exit, ExitReason::Exit(_));
        next = if again { Some((message, Vec::new())) } else { wire::receive(socket)? };
    }
    Ok(())
}

fn shell(plan: &Plan, socket: &OwnedFd) -> io::Result<u32> {
    let (input, script) = io::pipe()?;
    let (output, writer) = io::pipe()?;
    let request = Request {
        program: "/bin/sh".to_owned(),
        arguments: SHELL_ARGUMENTS.map(str::to_owned).into(),
        folder: plan.scope.clone(),
        ..Request::default()
    };
    let mut command = build_command(plan, &request)?;
    let child = spawn(command.stdin(input).stdout(writer.try_clone()?).stderr(writer))?;
    // The command still has the other ends open.
    drop(command);
    wire::send(socket, SHELL, &[script.as_fd(), output.as_fd()])?;
    Ok(child)
}

fn start_on_streams(plan: &Plan, files: Vec<OwnedFd>) -> io::Result<u32> {
    let [request, input, output, errors]: [OwnedFd; 4] =
        files.try_into().map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
    let request: Request = wire::from_memfd(request)?;
    spawn(build_command(plan, &request)?.stdin(input).stdout(output).stderr(errors))
}

fn start_on_pty(plan: &Plan, socket: &OwnedFd, files: Vec<OwnedFd>) -> io::Result<u32> {
    let [message]: [OwnedFd; 1] =
        files.try_into().map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
    let (request, size): (Request, TerminalSize) = wire::from_memfd(message)?;
    let flags = OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC;
    let master = openpt(flags)?;
    unlockpt(&master)?;
    tcsetwinsize(&master, winsize(size))?;
    let slave = ioctl_tiocgptpeer(&master, flags)?;
    wire::send(socket, TERMINAL, &[master.as_fd()])?;
    let mut command = build_command(plan, &request)?;
    command.stdin(slave.try_clone()?).stdout(slave.try_clone()?).stderr(slave);
    fork::set_controlling_terminal(&mut command);
    command.spawn().map(|child| child.id())
}

pub(super) fn winsize(size: TerminalSize) -> Winsize {
    Winsize { ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0 }
}

fn spawn(command: &mut Command) -> io::Result<u32> {
    // Its own process group: a signal to the group must not reach this process.
    command.process_group(0).spawn().map(|child| child.id())
}

fn build_command(plan: &Plan, request: &Request) -> io::Result<Command> {
    let mut variables = plan.environment.clone();
    variables.extend(request.environment.clone());
    if !request.folder.is_dir() {
        let reason = format!("there is no folder {}", request.folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, reason));
    }
    let mut command = Command::new(lookup::find_program(&request.program, &variables)?);
    command.args(&request.arguments).env_clear().envs(variables).current_dir(&request.folder);
    Ok(command)
}

fn wait_for(child: u32) -> ExitReason {
    loop {
        // Orphans become children of this process too.
        match wait(WaitOptions::empty()) {
            Ok(Some((pid, status))) if pid.as_raw_nonzero().get().cast_unsigned() == child => {
                let status = std::process::ExitStatus::from_raw(status.as_raw());
                return match (status.code(), status.signal()) {
                    (Some(code), _) => ExitReason::Exit(code),
                    (None, signal) => ExitReason::Signal(signal.unwrap_or_default()),
                };
            }
            Ok(_) | Err(Errno::INTR) => {}
            Err(errno) => return ExitReason::NotStarted(errno.to_string()),
        }
    }
}

/// Kills what a program left behind, so that the next one finds a clean container.
fn clean_up(confinement: &Confinement) -> io::Result<()> {
    match confinement {
        Confinement::None => orphans::kill_descendants(&[]),
        Confinement::Kernel(_) => loop {
            match wait(WaitOptions::NOHANG) {
                // Every process of the namespace descends from its first one.
                Err(Errno::CHILD) => {
                    require_init()?;
                    return ipc::remove_all();
                }
                Ok(Some(_)) | Err(Errno::INTR) => {}
                Ok(None) => {
                    kill_all()?;
                    // At least one process is about to end.
                    let _ = wait(WaitOptions::empty());
                }
                Err(errno) => return Err(errno.into()),
            }
        },
    }
}

/// Fails unless this process is the first process in its PID namespace.
fn require_init() -> io::Result<()> {
    if getpid() == Pid::INIT {
        return Ok(());
    }
    Err(io::Error::other("this process is not the first of its namespace"))
}

/// Kills all other processes of this namespace.
fn kill_all() -> io::Result<()> {
    require_init()?;
    match kill_process_group(Pid::INIT, Signal::KILL) {
        // The last process has ended since.
        Ok(()) | Err(Errno::SRCH) => Ok(()),
        Err(errno) => Err(errno.into()),
    }
}

/// Decodes the exit reason of a program.
pub(super) fn decode_exit(message: &[u8]) -> Option<ExitReason> {
    serde_json::from_slice(message).ok()
}
