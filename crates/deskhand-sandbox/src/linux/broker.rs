//! The broker: a process between the server and everything it runs. It is set up for one plan, makes
//! cells when it is asked to, and runs nothing itself. With it end all its cells.

use std::{
    fs, io,
    os::fd::{AsFd, OwnedFd},
};

use rustix::{
    event::{PollFd, PollFlags, poll},
    process::{
        Pid, PidfdFlags, Signal, WaitOptions, getgid, getppid, getuid, pidfd_open,
        set_parent_process_death_signal, wait,
    },
    thread::UnshareFlags,
};

use super::{
    cell,
    fork::{self, Side},
    view, wire,
};
use crate::{Network, Plan};

/// What the server asks for: one cell.
pub(super) const CELL: &[u8] = b"cell";

/// What the broker says when it is set up.
pub(super) const READY: &[u8] = b"ready";

/// Lives as the broker of the server at the other end of standard input; never returns.
///
/// It must be called before this process has any other thread.
pub fn broker() -> ! {
    let code = match io::stdin().as_fd().try_clone_to_owned().and_then(serve) {
        Ok(()) => 0,
        Err(_) => 1,
    };
    std::process::exit(code)
}

fn serve(server: OwnedFd) -> io::Result<()> {
    set_parent_process_death_signal(Some(Signal::KILL))?;
    // The server may have ended before that.
    if getppid().is_none_or(|parent| parent == Pid::INIT) {
        return Ok(());
    }
    let Some((_, mut files)) = wire::receive(&server)? else { return Ok(()) };
    let plan: Plan = wire::read(files.pop().ok_or(io::ErrorKind::InvalidData)?)?;
    if let Err(why) = apart(&plan) {
        return wire::send(&server, short(&why), &[]);
    }
    // The first process of the namespace of processes is the next one that is made.
    match fork::doubled(libc::CLONE_NEWPID)? {
        Side::Parent(_) => {
            drop(server);
            while wait(WaitOptions::empty()).is_ok() {}
            Ok(())
        }
        Side::Child => {
            set_parent_process_death_signal(Some(Signal::KILL))?;
            if let Err(why) = view::enter(&plan) {
                return wire::send(&server, short(&format!("the view of the system: {why}")), &[]);
            }
            wire::send(&server, READY, &[])?;
            make_cells(&plan, &server)
        }
    }
}

/// Leaves every namespace of the server, and what it was given with them.
fn apart(plan: &Plan) -> Result<(), String> {
    let (user, group) = (getuid().as_raw(), getgid().as_raw());
    let told = |what: &'static str| move |error: io::Error| format!("{what}: {error}");
    // There may be no keys to leave: a kernel without them has none to give, either.
    let _ = fork::forget_keys();
    let mut all = UnshareFlags::NEWUSER
        | UnshareFlags::NEWNS
        | UnshareFlags::NEWIPC
        | UnshareFlags::NEWUTS
        | UnshareFlags::NEWCGROUP;
    if plan.network == Network::Off {
        all |= UnshareFlags::NEWNET;
    }
    fork::leave_namespaces(all).map_err(told("namespaces"))?;
    fs::write("/proc/self/setgroups", "deny").map_err(told("groups"))?;
    fs::write("/proc/self/uid_map", format!("{user} {user} 1")).map_err(told("users"))?;
    fs::write("/proc/self/gid_map", format!("{group} {group} 1")).map_err(told("groups"))
}

fn make_cells(plan: &Plan, server: &OwnedFd) -> io::Result<()> {
    loop {
        let mut asked = [PollFd::new(server, PollFlags::IN)];
        poll(&mut asked, None)?;
        reap();
        let Some((words, _)) = wire::receive(server)? else { return Ok(()) };
        if words != CELL {
            continue;
        }
        let (ours, theirs) = wire::pair()?;
        match fork::doubled(libc::CLONE_NEWPID | libc::CLONE_NEWNS)? {
            Side::Child => {
                drop(theirs);
                cell::live(plan, ours)
            }
            Side::Parent(pid) => {
                drop(ours);
                let pid = Pid::from_raw(pid).ok_or(io::ErrorKind::InvalidData)?;
                let held = pidfd_open(pid, PidfdFlags::empty())?;
                wire::send(server, CELL, &[theirs.as_fd(), held.as_fd()])?;
            }
        }
    }
}

/// Takes leave of cells that have ended.
fn reap() {
    while let Ok(Some(_)) = wait(WaitOptions::NOHANG) {}
}

fn short(why: &str) -> &[u8] {
    why.as_bytes().get(..400).unwrap_or(why.as_bytes())
}
