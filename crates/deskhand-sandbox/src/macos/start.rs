//! Starts a program: confined by a profile, in its own session, with resource limits and three open files.
#![allow(unsafe_code, reason = "code between fork and exec")]

use std::{
    collections::BTreeMap,
    fs, io,
    os::{fd::RawFd, unix::process::CommandExt},
    process::Command,
};

use rustix::process::{Resource, Rlimit, getrlimit, ioctl_tiocsctty, setrlimit, setsid};

use crate::{
    Enforcement, Request, ResourceLimits, lookup,
    seatbelt::command::{Limit, command_line, lower_limit},
};

/// Number of descriptors that other threads may open between the scan and the fork.
const DESCRIPTOR_SLACK: RawFd = 256;

/// The kind of standard streams of a program.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StreamKind {
    /// Three open files.
    Files,
    /// A terminal on standard input.
    Pty,
}

/// Builds the command of a request with its environment and folder, without starting it.
pub(super) fn command(
    request: &Request,
    base_environment: &BTreeMap<String, String>,
    enforcement: Enforcement,
    profile: &str,
) -> io::Result<Command> {
    let mut variables = base_environment.clone();
    variables.extend(request.environment.clone());
    if !request.folder.is_dir() {
        let reason = format!("there is no folder {}", request.folder.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, reason));
    }
    let program = request.folder.join(lookup::find_program(&request.program, &variables)?);
    // An error message of `sandbox-exec` would look like output of the program.
    if !program.is_file() {
        let reason = format!("{} does not exist", program.display());
        return Err(io::Error::new(io::ErrorKind::NotFound, reason));
    }
    let words = command_line(enforcement, profile, &program, &request.arguments);
    let (first, rest) = words.split_first().ok_or(io::ErrorKind::InvalidInput)?;
    let mut command = Command::new(first);
    command.args(rest).env_clear().envs(variables).current_dir(&request.folder);
    Ok(command)
}

/// Makes the command start in its own session, with resource limits, and with three open files only.
pub(super) fn isolate(
    command: &mut Command,
    limits: &ResourceLimits,
    streams: StreamKind,
) -> io::Result<()> {
    let highest = highest_descriptor()?.saturating_add(DESCRIPTOR_SLACK);
    let limits = resource_limits(limits);
    let prepare_child = move || {
        setsid()?;
        if streams == StreamKind::Pty {
            ioctl_tiocsctty(rustix::stdio::stdin())?;
        }
        for (resource, limit) in limits {
            setrlimit(resource, limit)?;
        }
        for file in 3..=highest {
            // SAFETY: the call changes one flag of a descriptor of the new process, where no Rust object owns a
            // descriptor that will be used; for an unused number it fails without effect.
            unsafe { libc::fcntl(file, libc::F_SETFD, libc::FD_CLOEXEC) };
        }
        Ok(())
    };
    // SAFETY: between fork and exec the closure makes system calls only; it allocates nothing and takes no
    // lock.
    unsafe { command.pre_exec(prepare_child) };
    Ok(())
}

/// Returns the highest open descriptor of this process.
fn highest_descriptor() -> io::Result<RawFd> {
    let names = fs::read_dir("/dev/fd")?.flatten();
    let numbers = names.filter_map(|entry| entry.file_name().to_str()?.parse().ok());
    Ok(numbers.max().unwrap_or(0))
}

/// Returns the resource limits. The process limit applies to all processes of the user; macOS has no other.
fn resource_limits(limits: &ResourceLimits) -> [(Resource, Rlimit); 4] {
    let limit = |resource: Resource, limit_value: u64| {
        let current = getrlimit(resource);
        let lowered =
            lower_limit(limit_value, Limit { soft: current.current, hard: current.maximum });
        (resource, Rlimit { current: lowered.soft, maximum: lowered.hard })
    };
    [
        limit(Resource::Nproc, limits.processes),
        limit(Resource::Fsize, limits.file_size),
        limit(Resource::Cpu, limits.cpu_seconds),
        (Resource::Core, Rlimit { current: Some(0), maximum: Some(0) }),
    ]
}
