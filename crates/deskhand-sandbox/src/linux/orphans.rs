//! Kills processes that programs left behind without a PID namespace. They became children of this process when
//! their parent ended, because it is a subreaper.

use std::{fs, io};

use rustix::{
    io::Errno,
    process::{Pid, Signal, WaitOptions, getpid, kill_process, wait},
};

use super::timing::PROCESS_SCAN_INTERVAL;

/// Kills every descendant of this process except `except` and their descendants. A process that forks during one
/// scan is found by the next.
pub(super) fn kill_descendants(except: &[Pid]) -> io::Result<()> {
    loop {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some(_)) => {}
                Ok(None) | Err(Errno::INTR) => break,
                // Descendants without another parent are children of this process.
                Err(Errno::CHILD) => return Ok(()),
                Err(errno) => return Err(errno.into()),
            }
        }
        let remaining = descendants(except)?;
        if remaining.is_empty() {
            return Ok(());
        }
        for entry in remaining {
            // The process may have ended since.
            let _ = kill_process(entry, Signal::KILL);
        }
        std::thread::sleep(PROCESS_SCAN_INTERVAL);
    }
}

fn descendants(except: &[Pid]) -> io::Result<Vec<Pid>> {
    let all: Vec<(Pid, Pid)> =
        fs::read_dir("/proc")?.filter_map(|entry| read_parent(&entry.ok()?)).collect();
    let mut found = vec![getpid()];
    let mut at = 0;
    while let Some(parent) = found.get(at).copied() {
        let children = all.iter().filter(|(_, its)| *its == parent).map(|(pid, _)| *pid);
        found.extend(children.filter(|pid| !except.contains(pid)));
        at += 1;
    }
    found.remove(0);
    Ok(found)
}

/// Returns a process and its parent from `/proc/PID/stat`. The process name may contain anything, so the last
/// parenthesis counts.
fn read_parent(entry: &fs::DirEntry) -> Option<(Pid, Pid)> {
    let pid = entry.file_name().to_str()?.parse().ok()?;
    let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
    let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
    Some((Pid::from_raw(pid)?, Pid::from_raw(parent)?))
}
