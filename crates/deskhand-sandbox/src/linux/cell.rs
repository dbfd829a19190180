//! A cell: a process of its own, already held to the plan, that waits for one program, runs it, and takes
//! everything with it when it ends.

use std::{
    collections::BTreeMap,
    io,
    os::{
        fd::{AsFd, BorrowedFd, OwnedFd},
        unix::process::ExitStatusExt,
    },
    path::{Path, PathBuf},
    process::Command,
};

use rustix::{
    process::{WaitOptions, wait},
    pty::{OpenptFlags, ioctl_tiocgptpeer, openpt, unlockpt},
    termios::{Winsize, tcsetwinsize},
};

use super::{fork, wire};
use crate::{Ended, Plan, Request, Size};

/// What a cell says when it is held and waits.
pub(super) const READY: &[u8] = b"ready";

/// What a cell is asked: to run a program on three streams.
pub(super) const RUN: &[u8] = b"run";

/// What a cell is asked: to run a program on a terminal, whose other end it sends back.
pub(super) const TERMINAL: &[u8] = b"terminal";

/// Waits for the one program of this cell, runs it, and tells how it ended.
pub(super) fn serve(plan: &Plan, socket: &OwnedFd) -> i32 {
    let said = wire::send(socket, READY, &[]);
    let Ok(Some((words, files))) = said.and_then(|()| wire::receive(socket)) else { return 0 };
    let begun =
        if words == TERMINAL { on_terminal(plan, socket, files) } else { begin(plan, files) };
    let ended = match begun {
        Ok(child) => end_of(child),
        Err(error) => Ended::NotStarted(error.to_string()),
    };
    let Ok(text) = serde_json::to_vec(&ended) else { return 1 };
    // Nobody may be left to hear it.
    let _ = wire::send(socket, &text, &[]);
    0
}

fn begin(plan: &Plan, files: Vec<OwnedFd>) -> io::Result<u32> {
    let [request, input, output, errors]: [OwnedFd; 4] =
        files.try_into().map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
    let request: Request = wire::read(request)?;
    start(command(plan, &request)?.stdin(input).stdout(output).stderr(errors))
}

fn on_terminal(plan: &Plan, socket: &OwnedFd, files: Vec<OwnedFd>) -> io::Result<u32> {
    let [message]: [OwnedFd; 1] =
        files.try_into().map_err(|_| io::Error::from(io::ErrorKind::InvalidData))?;
    let (request, size): (Request, Size) = wire::read(message)?;
    let outside = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC)?;
    unlockpt(&outside)?;
    tcsetwinsize(&outside, winsize(size))?;
    let inside = ioctl_tiocgptpeer(
        &outside,
        OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC,
    )?;
    wire::send(socket, TERMINAL, &[outside.as_fd()])?;
    let mut command = command(plan, &request)?;
    command.stdin(inside.try_clone()?).stdout(inside.try_clone()?).stderr(inside);
    fork::on_terminal(&mut command);
    start(&mut command)
}

pub(super) fn winsize(size: Size) -> Winsize {
    Winsize { ws_row: size.rows, ws_col: size.columns, ws_xpixel: 0, ws_ypixel: 0 }
}

fn start(command: &mut Command) -> io::Result<u32> {
    command.spawn().map(|child| child.id())
}

fn command(plan: &Plan, request: &Request) -> io::Result<Command> {
    let mut variables = plan.environment.clone();
    variables.extend(request.environment.clone());
    if !request.folder.is_dir() {
        let why = format!("there is no folder {}", request.folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, why));
    }
    let mut command = Command::new(found(&request.program, &variables)?);
    command.args(&request.arguments).env_clear().envs(variables).current_dir(&request.folder);
    Ok(command)
}

/// Where a program is; the search is for the variables it will have, not for ours.
fn found(program: &str, variables: &BTreeMap<String, String>) -> io::Result<PathBuf> {
    if program.contains('/') {
        return Ok(PathBuf::from(program));
    }
    let path = variables.get("PATH").map_or("/usr/bin:/bin", String::as_str);
    let there = std::env::split_paths(path).map(|folder| folder.join(program));
    let mut there = there.filter(|file| can_run(file));
    there.next().ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::NotFound,
            format!("there is no {program} along PATH ({path})"),
        )
    })
}

fn can_run(file: &Path) -> bool {
    file.is_file() && rustix::fs::access(file, rustix::fs::Access::EXEC_OK).is_ok()
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
            Ok(_) | Err(rustix::io::Errno::INTR) => {}
            Err(errno) => return Ended::NotStarted(errno.to_string()),
        }
    }
}

/// Reads how a program ended.
pub(super) fn ended(words: &[u8]) -> Option<Ended> {
    serde_json::from_slice(words).ok()
}

/// Sends a program to a cell.
pub(super) fn ask(
    socket: impl AsFd,
    request: &Request,
    streams: [BorrowedFd<'_>; 3],
) -> io::Result<()> {
    let message = wire::written(request)?;
    let [input, output, errors] = streams;
    wire::send(socket, RUN, &[message.as_fd(), input, output, errors])
}
