//! Ending what runs in a desktop: everything with its mark, asked first, then forced.
//!
//! Signals go through process descriptors, so a number that was given to another process in the
//! meantime is never hit.

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, pidfd_open, pidfd_send_signal, waitid,
};

use super::error::{Error, Result};
use super::info::{Component, Part};
use super::process::{self, Process, Stat};

/// How long a program may take to end when asked.
const GRACE: Duration = Duration::from_millis(1_500);
/// How long the kernel may take to end what is killed.
const PATIENCE: Duration = Duration::from_secs(5);

/// The order of ending: a program whose display goes first dies of it, noisily.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Turn {
    Programs,
    Buses,
    Display,
}

struct Target {
    process: Process,
    turn: Turn,
    handle: OwnedFd,
}

/// Ends all processes of a desktop and returns once they are gone.
pub(super) fn end(id: &str, components: &[Component]) -> Result<()> {
    // A program that hides its environment is known by its parents alone, and these may end first:
    // what was found once is watched to its end.
    let mut found = Vec::new();
    for turn in [Turn::Programs, Turn::Buses, Turn::Display] {
        let deadline = Instant::now() + GRACE + PATIENCE;
        let mut signal = Signal::TERM;
        loop {
            find(id, components, &mut found)?;
            let targets: Vec<&Target> = found.iter().filter(|one| one.turn <= turn).collect();
            if targets.is_empty() {
                break;
            }
            if Instant::now() > deadline {
                let pids = targets.iter().map(|target| target.process.pid).collect();
                return Err(Error::NotEnded { pids });
            }
            for target in &targets {
                // It may be gone already; the next look tells.
                let _ = pidfd_send_signal(&target.handle, signal);
                // A stopped program sees no other signal before this one.
                let _ = pidfd_send_signal(&target.handle, Signal::CONT);
            }
            wait(targets, GRACE);
            signal = Signal::KILL;
        }
    }
    reap(components);
    Ok(())
}

/// Finds all living processes of a desktop, but for this one and those it was started by, and
/// forgets those that are gone.
fn find(id: &str, components: &[Component], found: &mut Vec<Target>) -> Result<()> {
    found.retain(|target| target.process.is_alive());
    let known: Vec<u32> = found.iter().map(|target| target.process.pid).collect();
    let mut stats = HashMap::new();
    for pid in process::all()? {
        if let Some(stat) = Stat::read(pid).filter(|stat| stat.runs) {
            stats.insert(pid, stat);
        }
    }
    let spared: Vec<u32> = lineage(std::process::id(), &stats).collect();
    let marks: HashMap<u32, String> =
        stats.keys().filter_map(|pid| Some((*pid, process::mark(*pid)?))).collect();
    let is_marked = |pid: u32| marks.get(&pid).is_some_and(|mark| process::belongs(mark, id));
    // A program can hide or overwrite its environment (sandboxes do); then its parents tell.
    let is_inside = |pid: u32| match marks.get(&pid) {
        Some(mark) => process::belongs(mark, id),
        None => lineage(pid, &stats)
            .any(|one| !spared.contains(&one) && (known.contains(&one) || is_marked(one))),
    };
    let is_new = |pid: u32| !spared.contains(&pid) && !known.contains(&pid);
    for pid in stats.keys().copied().filter(|pid| is_new(*pid) && is_inside(*pid)) {
        let Some(handle) = open(pid)? else { continue };
        // The handle is open, so from here on the number cannot be given away unnoticed.
        let process = Process { pid, started: stats[&pid].started };
        let still_marked =
            !marks.contains_key(&pid) || process::mark(pid) == marks.get(&pid).cloned();
        if process.is_alive() && still_marked {
            found.push(Target { process, turn: turn_of(pid, &stats, components), handle });
        }
    }
    Ok(())
}

/// A process, its parent, its parent's parent, …
fn lineage(pid: u32, stats: &HashMap<u32, Stat>) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(pid), |one| {
        stats.get(one).map(|stat| stat.parent).filter(|parent| *parent > 1)
    })
}

fn turn_of(pid: u32, stats: &HashMap<u32, Stat>, components: &[Component]) -> Turn {
    let nearest = lineage(pid, stats)
        .find_map(|one| components.iter().find(|component| component.process.pid == one));
    match nearest.map(|component| component.part) {
        Some(Part::Display) => Turn::Display,
        Some(Part::SessionBus | Part::A11yLauncher | Part::A11yBus | Part::A11yRegistry) => {
            Turn::Buses
        }
        Some(Part::WindowManager) | None => Turn::Programs,
    }
}

/// Opens a handle to a process; none when it is gone.
pub(super) fn open(pid: u32) -> Result<Option<OwnedFd>> {
    let Some(raw) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return Ok(None) };
    match pidfd_open(raw, PidfdFlags::empty()) {
        Ok(handle) => Ok(Some(handle)),
        Err(rustix::io::Errno::SRCH) => Ok(None),
        Err(errno) => Err(Error::io("watch", Path::new(&format!("/proc/{pid}")))(errno.into())),
    }
}

/// Waits until all are gone or the time is over.
fn wait(mut targets: Vec<&Target>, limit: Duration) {
    let deadline = Instant::now() + limit;
    while !targets.is_empty() {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        let mut watched: Vec<_> =
            targets.iter().map(|target| PollFd::new(&target.handle, PollFlags::IN)).collect();
        let timeout = Timespec::try_from(left).ok();
        // An interrupted wait goes round again.
        let _ = poll(&mut watched, timeout.as_ref());
        let gone: Vec<bool> = watched.iter().map(|one| !one.revents().is_empty()).collect();
        let mut gone = gone.into_iter();
        targets.retain(|_| !gone.next().unwrap_or_default());
    }
}

/// Takes the exit codes of components this process started, so that no zombie stays. Programs the
/// caller started inside are left to the caller, who may wait for them.
fn reap(components: &[Component]) {
    for Process { pid, started } in components.iter().map(|one| one.process) {
        let is_zombie = Stat::read(pid).is_some_and(|now| !now.runs && now.started == started);
        let raw = i32::try_from(pid).ok().and_then(Pid::from_raw).filter(|_| is_zombie);
        if let Some(raw) = raw {
            // When another process made the desktop this is no child of ours; init reaps it.
            let _ = waitid(WaitId::Pid(raw), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
        }
    }
}
