//! The file descriptors of a process from which it may receive something at any time.

use std::{collections::HashSet, fs, path::Path, time::Duration};

/// The tables of the sockets of the internet protocols.
const TABLES: [&str; 4] = ["tcp", "tcp6", "udp", "udp6"];

/// The states of sockets that may receive a reply: connected and connecting.
const OPEN_STATES: [&str; 2] = ["01", "02"];

/// The open descriptors of a process.
pub(super) struct Descriptors {
    sockets: HashSet<String>,
    timers: Vec<String>,
}

impl Descriptors {
    pub(super) fn read(pid: u32) -> Self {
        let mut found = Self { sockets: HashSet::new(), timers: Vec::new() };
        // Without the permission to read the folder, the threads are not readable, either.
        let Ok(all) = fs::read_dir(format!("/proc/{pid}/fd")) else { return found };
        for one in all.flatten() {
            let Ok(target) = fs::read_link(one.path()) else { continue };
            let target = target.to_string_lossy();
            if let Some(inode) = target.strip_prefix("socket:[") {
                found.sockets.insert(inode.trim_end_matches(']').to_owned());
            } else if target == "anon_inode:[timerfd]" {
                found.timers.push(one.file_name().to_string_lossy().into_owned());
            }
        }
        found
    }

    /// Returns `true` if the process has an open network connection.
    pub(super) fn has_connection(&self, pid: u32) -> bool {
        let net = format!("/proc/{pid}/net");
        !self.sockets.is_empty()
            && TABLES.iter().any(|table| {
                let rows = fs::read_to_string(Path::new(&net).join(table)).unwrap_or_default();
                connections(&rows).any(|inode| self.sockets.contains(inode))
            })
    }

    /// Returns the remaining times of the timers that are descriptors.
    pub(super) fn timers(&self, pid: u32) -> impl Iterator<Item = Duration> {
        let info = move |descriptor: &String| {
            fs::read_to_string(format!("/proc/{pid}/fdinfo/{descriptor}")).ok()
        };
        self.timers.iter().filter_map(info).filter_map(|info| remaining_time(&info))
    }
}

/// Returns the inodes of the open connections in a table of sockets.
fn connections(rows: &str) -> impl Iterator<Item = &str> {
    rows.lines().skip(1).filter_map(|row| {
        let mut fields = row.split_ascii_whitespace();
        let state = fields.nth(3)?;
        OPEN_STATES.contains(&state).then(|| fields.nth(5)).flatten()
    })
}

/// Returns the remaining time of a timer; `None` if it does not run.
fn remaining_time(info: &str) -> Option<Duration> {
    let value = info.lines().find_map(|line| line.strip_prefix("it_value: ("))?;
    let (seconds, nanoseconds) = value.trim_end_matches(')').split_once(", ")?;
    let time = Duration::new(seconds.parse().ok()?, nanoseconds.parse().ok()?);
    (!time.is_zero()).then_some(time)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_connected_sockets_are_connections() {
        let rows = "  sl  local_address rem_address   st tx_queue rx_queue tr tm->when retrnsmt uid timeout inode\n\
            0: 0100007F:1F90 00000000:0000 0A 00000000:00000000 00:00000000 00000000 0 0 111 1 0\n\
            1: 0100007F:1F90 0100007F:9C40 01 00000000:00000000 00:00000000 00000000 0 0 222 1 0\n";
        assert_eq!(connections(rows).collect::<Vec<_>>(), ["222"]);
    }

    #[test]
    fn a_stopped_timer_has_no_remaining_time() {
        let info = |value: &str| format!("pos:\t0\nflags:\t02\nclockid: 1\nit_value: {value}\n");
        let half = Some(Duration::from_millis(500));
        assert_eq!(remaining_time(&info("(0, 500000000)")), half);
        assert_eq!(remaining_time(&info("(0, 0)")), None);
    }
}
