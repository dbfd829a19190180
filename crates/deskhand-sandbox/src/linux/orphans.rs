//! What programs leave behind where no namespace ends it with them: processes that were handed to the
//! broker when their parent ended.

use std::{fs, io, time::Duration};

use rustix::{
    io::Errno,
    process::{Pid, Signal, WaitOptions, getpid, kill_process, wait},
};

/// Between two looks at what is left.
const PACE: Duration = Duration::from_millis(1);

/// Ends every descendant of this process but those of `kept`. Whoever forks away from one look is found
/// by the next.
pub(super) fn end(kept: &[Pid]) -> io::Result<()> {
    loop {
        loop {
            match wait(WaitOptions::NOHANG) {
                Ok(Some(_)) => {}
                Ok(None) | Err(Errno::INTR) => break,
                // Whoever descends from this process and has no other parent is its child.
                Err(Errno::CHILD) => return Ok(()),
                Err(errno) => return Err(errno.into()),
            }
        }
        let left = descendants(kept)?;
        if left.is_empty() {
            return Ok(());
        }
        for one in left {
            // It may have ended since.
            let _ = kill_process(one, Signal::KILL);
        }
        std::thread::sleep(PACE);
    }
}

fn descendants(kept: &[Pid]) -> io::Result<Vec<Pid>> {
    let all: Vec<(Pid, Pid)> =
        fs::read_dir("/proc")?.filter_map(|one| with_parent(&one.ok()?)).collect();
    let mut found = vec![getpid()];
    let mut at = 0;
    while let Some(parent) = found.get(at).copied() {
        let children = all.iter().filter(|(_, its)| *its == parent).map(|(pid, _)| *pid);
        found.extend(children.filter(|pid| !kept.contains(pid)));
        at += 1;
    }
    found.remove(0);
    Ok(found)
}

/// A process and its parent, by `/proc/*/stat`; the name in it may hold anything, so the last
/// parenthesis counts.
fn with_parent(entry: &fs::DirEntry) -> Option<(Pid, Pid)> {
    let pid = entry.file_name().to_str()?.parse().ok()?;
    let stat = fs::read_to_string(entry.path().join("stat")).ok()?;
    let parent = stat.rsplit_once(')')?.1.split_whitespace().nth(1)?.parse().ok()?;
    Some((Pid::from_raw(pid)?, Pid::from_raw(parent)?))
}
