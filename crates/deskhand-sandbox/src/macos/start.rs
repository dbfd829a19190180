//! How a program is started: held to a profile, in a session of its own, with bounds and three files.
#![allow(unsafe_code, reason = "what happens between a new process and its program")]

use std::{
    collections::BTreeMap,
    fs, io,
    os::{fd::RawFd, unix::process::CommandExt},
    process::Command,
};

use rustix::process::{Resource, Rlimit, getrlimit, ioctl_tiocsctty, setrlimit, setsid};

use crate::{
    Bounds, How, Request, lookup,
    seatbelt::command::{Limit, bounded, line},
};

/// Descriptors that may be opened between a look at them and a new process.
const SLACK: RawFd = 256;

/// Whether the program has a terminal.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Streams {
    /// Three files.
    Files,
    /// A terminal, on standard input.
    Terminal,
}

/// The command of a request, with its variables and folder; nothing is started.
pub(super) fn command(
    request: &Request,
    usual: &BTreeMap<String, String>,
    how: How,
    profile: &str,
) -> io::Result<Command> {
    let mut variables = usual.clone();
    variables.extend(request.environment.clone());
    if !request.folder.is_dir() {
        let why = format!("there is no folder {}", request.folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, why));
    }
    let program = request.folder.join(lookup::program(&request.program, &variables)?);
    // The holder's own complaint would look like the program's.
    if !program.is_file() {
        let why = format!("there is no {}", program.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, why));
    }
    let words = line(how, profile, &program, &request.arguments);
    let (first, rest) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(first);
    command.args(rest).env_clear().envs(variables).current_dir(&request.folder);
    Ok(command)
}

/// Makes the command begin as a session of its own, with bounds, and with no file but three.
pub(super) fn apart(command: &mut Command, bounds: &Bounds, streams: Streams) -> io::Result<()> {
    let highest = highest_file()?.saturating_add(SLACK);
    let limits = limits(bounds);
    let lead = move || {
        setsid()?;
        if streams == Streams::Terminal {
            ioctl_tiocsctty(rustix::stdio::stdin())?;
        }
        for (resource, limit) in limits {
            setrlimit(resource, limit)?;
        }
        for file in 3..=highest {
            // SAFETY: the call changes one flag of a descriptor of the new process, in which nobody owns
            // one but the program to be; a number nobody uses is refused, and that is as good.
            unsafe { libc::fcntl(file, libc::F_SETFD, libc::FD_CLOEXEC) };
        }
        Ok(())
    };
    // SAFETY: between the new process and its program only system calls are made; nothing is allocated
    // and no lock is taken.
    unsafe { command.pre_exec(lead) };
    Ok(())
}

/// The highest descriptor of this process.
fn highest_file() -> io::Result<RawFd> {
    let names = fs::read_dir("/dev/fd")?.flatten();
    let numbers = names.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    Ok(numbers.max().unwrap_or(0))
}

/// That of processes is one for all of a person's, as macOS has no other.
fn limits(bounds: &Bounds) -> [(Resource, Rlimit); 4] {
    let limit = |resource: Resource, bound: u64| {
        let has = getrlimit(resource);
        let kept = bounded(bound, Limit { now: has.current, most: has.maximum });
        (resource, Rlimit { current: kept.now, maximum: kept.most })
    };
    [
        limit(Resource::Nproc, bounds.processes),
        limit(Resource::Fsize, bounds.file_size),
        limit(Resource::Cpu, bounds.seconds),
        (Resource::Core, Rlimit { current: Some(0), maximum: Some(0) }),
    ]
}
