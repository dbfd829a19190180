//! Ends all processes of a desktop: first with SIGTERM, then with SIGKILL.
//!
//! Signals go through pidfds, so a process id that was reused is never hit.

use std::collections::HashMap;
use std::os::fd::OwnedFd;
use std::path::Path;
use std::time::{Duration, Instant};

use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::process::{
    Pid, PidfdFlags, Signal, WaitId, WaitIdOptions, pidfd_open, pidfd_send_signal, waitid,
};

use super::error::{Error, Result};
use super::info::{Component, ComponentKind};
use super::process::{self, Process, Stat};
use super::timing::{KILL_TIMEOUT, TERM_TIMEOUT};

/// The order of ending. A program whose display ends first would crash with error messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum EndPhase {
    Programs,
    Buses,
    Display,
}

struct RunningProcess {
    process: Process,
    phase: EndPhase,
    handle: OwnedFd,
}

/// Ends all processes of a desktop, and returns when they are gone.
pub(super) fn end(id: &str, components: &[Component]) -> Result<()> {
    // A process that hides its environment is recognized only by its ancestors, which may end
    // first. Therefore every process found once is watched until it ends.
    let mut found = Vec::new();
    for phase in [EndPhase::Programs, EndPhase::Buses, EndPhase::Display] {
        let deadline = Instant::now() + TERM_TIMEOUT + KILL_TIMEOUT;
        let mut signal = Signal::TERM;
        loop {
            find_processes(id, components, &mut found)?;
            let remaining: Vec<&RunningProcess> =
                found.iter().filter(|one| one.phase <= phase).collect();
            if remaining.is_empty() {
                break;
            }
            if Instant::now() > deadline {
                let pids = remaining.iter().map(|one| one.process.pid).collect();
                return Err(Error::NotEnded { pids });
            }
            for one in &remaining {
                // It may have ended already; the next search shows that.
                let _ = pidfd_send_signal(&one.handle, signal);
                // A stopped process handles no other signal before this one.
                let _ = pidfd_send_signal(&one.handle, Signal::CONT);
            }
            wait(remaining, TERM_TIMEOUT);
            signal = Signal::KILL;
        }
    }
    reap(components);
    Ok(())
}

/// Finds all living processes of a desktop except this process and its ancestors, and removes those
/// that have ended.
fn find_processes(
    id: &str,
    components: &[Component],
    found: &mut Vec<RunningProcess>,
) -> Result<()> {
    found.retain(|one| one.process.is_alive());
    let known: Vec<u32> = found.iter().map(|one| one.process.pid).collect();
    let mut stats = HashMap::new();
    for pid in process::list_pids()? {
        if let Some(stat) = Stat::read(pid).filter(|stat| stat.is_running) {
            stats.insert(pid, stat);
        }
    }
    let own_ancestry: Vec<u32> = ancestry(std::process::id(), &stats).collect();
    let desktop_ids: HashMap<u32, String> =
        stats.keys().filter_map(|pid| Some((*pid, process::desktop_id(*pid)?))).collect();
    let is_in_desktop = |pid: u32| {
        desktop_ids.get(&pid).is_some_and(|desktop_id| process::is_inside_desktop(desktop_id, id))
    };
    // A program can hide or overwrite its environment, as sandboxes do; then its ancestors decide.
    let is_inside = |pid: u32| match desktop_ids.get(&pid) {
        Some(desktop_id) => process::is_inside_desktop(desktop_id, id),
        None => ancestry(pid, &stats).any(|one| {
            !own_ancestry.contains(&one) && (known.contains(&one) || is_in_desktop(one))
        }),
    };
    let is_new = |pid: u32| !own_ancestry.contains(&pid) && !known.contains(&pid);
    for pid in stats.keys().copied().filter(|pid| is_new(*pid) && is_inside(*pid)) {
        let Some(handle) = open_pidfd(pid)? else { continue };
        // While the pidfd is open, reuse of the process id can be detected.
        let process = Process { pid, started: stats[&pid].started };
        let still_marked = !desktop_ids.contains_key(&pid)
            || process::desktop_id(pid) == desktop_ids.get(&pid).cloned();
        if process.is_alive() && still_marked {
            found.push(RunningProcess {
                process,
                phase: phase_of(pid, &stats, components),
                handle,
            });
        }
    }
    Ok(())
}

/// Returns a process, its parent, its parent's parent, and so on.
fn ancestry(pid: u32, stats: &HashMap<u32, Stat>) -> impl Iterator<Item = u32> {
    std::iter::successors(Some(pid), |one| {
        stats.get(one).map(|stat| stat.parent).filter(|parent| *parent > 1)
    })
}

fn phase_of(pid: u32, stats: &HashMap<u32, Stat>, components: &[Component]) -> EndPhase {
    let nearest = ancestry(pid, stats)
        .find_map(|one| components.iter().find(|component| component.process.pid == one));
    match nearest.map(|component| component.kind) {
        Some(ComponentKind::Display) => EndPhase::Display,
        Some(
            ComponentKind::SessionBus
            | ComponentKind::A11yLauncher
            | ComponentKind::A11yBus
            | ComponentKind::A11yRegistry,
        ) => EndPhase::Buses,
        Some(ComponentKind::WindowManager) | None => EndPhase::Programs,
    }
}

/// Opens a pidfd. Returns `None` if the process has ended.
pub(super) fn open_pidfd(pid: u32) -> Result<Option<OwnedFd>> {
    let Some(raw) = i32::try_from(pid).ok().and_then(Pid::from_raw) else { return Ok(None) };
    match pidfd_open(raw, PidfdFlags::empty()) {
        Ok(handle) => Ok(Some(handle)),
        Err(rustix::io::Errno::SRCH) => Ok(None),
        Err(errno) => Err(Error::io("watch", Path::new(&format!("/proc/{pid}")))(errno.into())),
    }
}

/// Waits until all processes have ended or the time is over.
fn wait(mut targets: Vec<&RunningProcess>, limit: Duration) {
    let deadline = Instant::now() + limit;
    while !targets.is_empty() {
        let left = deadline.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        let mut watched: Vec<_> =
            targets.iter().map(|one| PollFd::new(&one.handle, PollFlags::IN)).collect();
        let timeout = Timespec::try_from(left).ok();
        // An interrupted poll is repeated.
        let _ = poll(&mut watched, timeout.as_ref());
        let gone: Vec<bool> = watched.iter().map(|one| !one.revents().is_empty()).collect();
        let mut gone = gone.into_iter();
        targets.retain(|_| !gone.next().unwrap_or_default());
    }
}

/// Reaps components that this process started, so that no zombie remains. Other programs inside the
/// desktop are left to the caller, who may wait for them.
fn reap(components: &[Component]) {
    for Process { pid, started } in components.iter().map(|one| one.process) {
        let is_zombie =
            Stat::read(pid).is_some_and(|now| !now.is_running && now.started == started);
        let raw = i32::try_from(pid).ok().and_then(Pid::from_raw).filter(|_| is_zombie);
        if let Some(raw) = raw {
            // If another process started the desktop, this is not a child process, and init reaps
            // it.
            let _ = waitid(WaitId::Pid(raw), WaitIdOptions::EXITED | WaitIdOptions::NOHANG);
        }
    }
}
