//! The broker: a process between the server and everything it runs. It is set up for one plan, makes
//! cells when it is asked to, and runs nothing itself. With it end all its cells.

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
    cell,
    confine::Hold,
    fork::{self, Side},
    orphans, view, wire,
};
use crate::{How, Network, Plan};

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

/// A cell that was made and may still run.
struct Made {
    pid: Pid,
    process: OwnedFd,
    /// Held where only the broker can tell that everything has ended: the server waits for its end.
    end: Option<OwnedFd>,
}

fn serve(server: OwnedFd) -> io::Result<()> {
    fork::close_others(&server)?;
    // Nobody's terminal: the broker of a server that was started in one is not.
    setsid()?;
    let Some((_, mut files)) = wire::receive(&server)? else { return Ok(()) };
    let (plan, how): (Plan, How) = wire::read(files.pop().ok_or(io::ErrorKind::InvalidData)?)?;
    match how {
        How::None => {
            set_child_subreaper(Some(getpid()))?;
            wire::send(&server, READY, &[])?;
            make_cells(&plan, &Hold::None, &server)
        }
        How::Kernel => held(&plan, server),
    }
}

fn held(plan: &Plan, server: OwnedFd) -> io::Result<()> {
    if let Err(why) = apart(plan) {
        return wire::send(&server, wire::short(&why), &[]);
    }
    // The first process of a namespace of processes is the next one that is made.
    match fork::doubled(libc::CLONE_NEWPID)? {
        Side::Parent(_) => {
            drop(server);
            while wait(WaitOptions::empty()).is_ok() {}
            Ok(())
        }
        Side::Child => {
            set_parent_process_death_signal(Some(Signal::KILL))?;
            let seen = view::enter(plan).map_err(|why| format!("the view of the system: {why}"));
            let hold = match seen.and_then(|()| Hold::by_kernel(plan)) {
                Ok(hold) => hold,
                Err(why) => return wire::send(&server, wire::short(&why), &[]),
            };
            wire::send(&server, READY, &[])?;
            make_cells(plan, &hold, &server)
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

fn make_cells(plan: &Plan, hold: &Hold, server: &OwnedFd) -> io::Result<()> {
    let mut made: Vec<Made> = Vec::new();
    loop {
        let mut watched = vec![PollFd::new(server, PollFlags::IN)];
        watched.extend(made.iter().map(|one| PollFd::new(&one.process, PollFlags::IN)));
        poll(&mut watched, None)?;
        let happened: Vec<bool> = watched.iter().map(|one| !one.revents().is_empty()).collect();
        let (asked, over) = happened.split_first().ok_or(io::ErrorKind::InvalidData)?;
        if over.contains(&true) {
            let mut over = over.iter();
            let (ended, running) = made.into_iter().partition(|_| over.next() == Some(&true));
            made = running;
            part_with(ended, &made, hold)?;
        }
        if *asked && !answer(plan, hold, server, &mut made)? {
            let ended = std::mem::take(&mut made);
            for one in &ended {
                // One that has ended is gone already.
                let _ = rustix::process::pidfd_send_signal(&one.process, Signal::KILL);
            }
            return part_with(ended, &made, hold);
        }
    }
}

/// Takes leave of cells that have ended, and of what they left.
fn part_with(ended: Vec<Made>, running: &[Made], hold: &Hold) -> io::Result<()> {
    for one in &ended {
        // It was seen to end, or was killed: this does not last.
        let _ = rustix::process::waitpid(Some(one.pid), WaitOptions::empty());
    }
    match hold {
        // The kernel has ended all of them before the first one.
        Hold::Kernel(_) => {}
        Hold::None => orphans::end(&running.iter().map(|one| one.pid).collect::<Vec<_>>())?,
    }
    for one in ended {
        drop(one.end);
    }
    Ok(())
}

/// Keeps nothing open but this.
fn only(socket: &OwnedFd) -> Result<(), String> {
    fork::close_others(socket).map_err(|error| format!("its files: {error}"))
}

/// Makes a cell when one is asked for; says whether anybody is there to ask.
fn answer(plan: &Plan, hold: &Hold, server: &OwnedFd, made: &mut Vec<Made>) -> io::Result<bool> {
    let Some((words, _)) = wire::receive(server)? else { return Ok(false) };
    if words != CELL {
        return Ok(true);
    }
    let (ours, theirs) = wire::pair()?;
    let namespaces = match hold {
        Hold::Kernel(_) => libc::CLONE_NEWPID | libc::CLONE_NEWNS | libc::CLONE_NEWIPC,
        Hold::None => 0,
    };
    match fork::doubled(namespaces)? {
        Side::Child => {
            // What is held for others would keep them from their end.
            made.clear();
            drop(theirs);
            let told = match hold.apply(plan).and_then(|()| only(&ours)) {
                Ok(()) => cell::serve(plan, hold, &ours),
                Err(why) => wire::send(&ours, wire::short(&why), &[]),
            };
            std::process::exit(i32::from(told.is_err()))
        }
        Side::Parent(pid) => {
            let pid = Pid::from_raw(pid).ok_or(io::ErrorKind::InvalidData)?;
            let process = pidfd_open(pid, PidfdFlags::empty())?;
            wire::send(server, CELL, &[theirs.as_fd(), process.as_fd()])?;
            let end = match hold {
                Hold::Kernel(_) => None,
                Hold::None => Some(ours),
            };
            made.push(Made { pid, process, end });
            Ok(true)
        }
    }
}
