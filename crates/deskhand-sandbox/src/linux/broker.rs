//! The broker process, between the server and everything it runs. It is set up for one plan, creates containers
//! on request, and runs no programs itself. All containers end with it.

use std::{
    fs, io,
    os::fd::{AsFd, OwnedFd},
};

use rustix::{
    event::{PollFd, PollFlags, poll},
    process::{
        Pid, PidfdFlags, Signal, WaitOptions, getgid, getpid, getuid, pidfd_open,
        set_child_subreaper, set_parent_process_death_signal, setsid, wait,
    },
    thread::UnshareFlags,
};

use super::{
    confine::Confinement,
    filesystem,
    fork::{self, ForkResult},
    init, orphans, wire,
};
use crate::{Enforcement, Network, Plan};

/// The request of the server for one container.
pub(super) const CONTAINER: &[u8] = b"container";

/// The message of the broker when it is set up.
pub(super) const READY: &[u8] = b"ready";

/// Runs the broker of the server at the other end of standard input. Never returns.
///
/// Must be called before this process starts another thread.
pub fn run_broker() -> ! {
    let code = match io::stdin().as_fd().try_clone_to_owned().and_then(serve) {
        Ok(()) => 0,
        Err(_) => 1,
    };
    std::process::exit(code)
}

/// A container that may still run.
struct RunningContainer {
    pid: Pid,
    process: OwnedFd,
    /// The container's socket, without a PID namespace. The server waits until the broker closes it, because only
    /// the broker can tell that all processes have ended.
    socket: Option<OwnedFd>,
}

fn serve(server: OwnedFd) -> io::Result<()> {
    fork::close_all_except(&server)?;
    // The broker must not belong to the terminal that the server was started in.
    setsid()?;
    let Some((_, mut files)) = wire::receive(&server)? else { return Ok(()) };
    let (plan, enforcement): (Plan, Enforcement) =
        wire::from_memfd(files.pop().ok_or(io::ErrorKind::InvalidData)?)?;
    match enforcement {
        Enforcement::None => {
            set_child_subreaper(Some(getpid()))?;
            wire::send(&server, READY, &[])?;
            serve_requests(&plan, &Confinement::None, &server)
        }
        Enforcement::Kernel => serve_confined(&plan, server),
    }
}

fn serve_confined(plan: &Plan, server: OwnedFd) -> io::Result<()> {
    if let Err(reason) = leave_namespaces(plan) {
        return wire::send(&server, wire::truncate_reason(&reason), &[]);
    }
    // CLONE_NEWPID applies to the next child, which becomes process 1 of the namespace.
    match fork::fork_into(libc::CLONE_NEWPID)? {
        ForkResult::Parent(_) => {
            drop(server);
            while wait(WaitOptions::empty()).is_ok() {}
            Ok(())
        }
        ForkResult::Child => {
            set_parent_process_death_signal(Some(Signal::KILL))?;
            let entered =
                filesystem::enter_root(plan).map_err(|reason| format!("file system: {reason}"));
            let confinement = match entered.and_then(|()| Confinement::for_kernel(plan)) {
                Ok(confinement) => confinement,
                Err(reason) => return wire::send(&server, wire::truncate_reason(&reason), &[]),
            };
            wire::send(&server, READY, &[])?;
            serve_requests(plan, &confinement, &server)
        }
    }
}

/// Leaves the namespaces and the session keyring of the server.
fn leave_namespaces(plan: &Plan) -> Result<(), String> {
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    let failed = |call: &'static str| move |error: io::Error| format!("{call}: {error}");
    // A kernel without keyrings fails here, and has no keys to leave.
    let _ = fork::join_empty_keyring();
    let mut namespaces = UnshareFlags::NEWUSER
        | UnshareFlags::NEWNS
        | UnshareFlags::NEWIPC
        | UnshareFlags::NEWUTS
        | UnshareFlags::NEWCGROUP;
    if plan.network == Network::Off {
        namespaces |= UnshareFlags::NEWNET;
    }
    fork::unshare(namespaces).map_err(failed("namespaces"))?;
    fs::write("/proc/self/setgroups", "deny").map_err(failed("groups"))?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1")).map_err(failed("users"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1")).map_err(failed("groups"))
}

fn serve_requests(plan: &Plan, confinement: &Confinement, server: &OwnedFd) -> io::Result<()> {
    let mut running: Vec<RunningContainer> = Vec::new();
    loop {
        let mut watched = vec![PollFd::new(server, PollFlags::IN)];
        watched
            .extend(running.iter().map(|container| PollFd::new(&container.process, PollFlags::IN)));
        poll(&mut watched, None)?;
        let happened: Vec<bool> = watched.iter().map(|file| !file.revents().is_empty()).collect();
        let (requested, exited) = happened.split_first().ok_or(io::ErrorKind::InvalidData)?;
        if exited.contains(&true) {
            let mut exited = exited.iter();
            let (ended, alive) = running.into_iter().partition(|_| exited.next() == Some(&true));
            running = alive;
            reap(ended, &running, confinement)?;
        }
        if *requested && !handle_request(plan, confinement, server, &mut running)? {
            let ended = std::mem::take(&mut running);
            for container in &ended {
                // A container that has ended already needs no signal.
                let _ = rustix::process::pidfd_send_signal(&container.process, Signal::KILL);
            }
            return reap(ended, &running, confinement);
        }
    }
}

/// Reaps containers that have ended, and kills the processes they left.
fn reap(
    ended: Vec<RunningContainer>,
    running: &[RunningContainer],
    confinement: &Confinement,
) -> io::Result<()> {
    for container in &ended {
        // The process has ended or was killed, so this does not block.
        let _ = rustix::process::waitpid(Some(container.pid), WaitOptions::empty());
    }
    match confinement {
        // The kernel has killed all other processes of the namespace before the first one.
        Confinement::Kernel(_) => {}
        Confinement::None => orphans::kill_descendants(
            &running.iter().map(|container| container.pid).collect::<Vec<_>>(),
        )?,
    }
    for container in ended {
        drop(container.socket);
    }
    Ok(())
}

/// Closes all files except the standard streams and this socket.
fn close_other_files(socket: &OwnedFd) -> Result<(), String> {
    fork::close_all_except(socket).map_err(|error| format!("closing files: {error}"))
}

/// Handles one request of the server. Returns `false` if the server is gone.
fn handle_request(
    plan: &Plan,
    confinement: &Confinement,
    server: &OwnedFd,
    running: &mut Vec<RunningContainer>,
) -> io::Result<bool> {
    let Some((message, _)) = wire::receive(server)? else { return Ok(false) };
    if message != CONTAINER {
        return Ok(true);
    }
    let (ours, theirs) = wire::pair()?;
    let namespaces = match confinement {
        Confinement::Kernel(_) => libc::CLONE_NEWPID | libc::CLONE_NEWNS | libc::CLONE_NEWIPC,
        Confinement::None => 0,
    };
    match fork::fork_into(namespaces)? {
        ForkResult::Child => {
            // The sockets of other containers must be open in the broker only.
            running.clear();
            drop(theirs);
            let served = match confinement.apply(plan).and_then(|()| close_other_files(&ours)) {
                Ok(()) => init::serve(plan, confinement, &ours),
                Err(reason) => wire::send(&ours, wire::truncate_reason(&reason), &[]),
            };
            std::process::exit(i32::from(served.is_err()))
        }
        ForkResult::Parent(pid) => {
            let pid = Pid::from_raw(pid).ok_or(io::ErrorKind::InvalidData)?;
            let process = pidfd_open(pid, PidfdFlags::empty())?;
            wire::send(server, CONTAINER, &[theirs.as_fd(), process.as_fd()])?;
            let socket = match confinement {
                Confinement::Kernel(_) => None,
                Confinement::None => Some(ours),
            };
            running.push(RunningContainer { pid, process, socket });
            Ok(true)
        }
    }
}
