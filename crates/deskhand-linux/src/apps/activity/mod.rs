//! The activity of a program: if its threads run, and when their waits end.
//!
//! A toolkit's main loop passes the time until its next timer to the kernel, in `poll` or a similar
//! call. `/proc/PID/task/TID/syscall` shows this call, so an idle app differs from an app that sleeps
//! before it reacts.

mod network;
mod thread_wait;

use std::{fs, time::Duration};

use deskhand_platform::ProgramActivity;

use self::{network::Descriptors, thread_wait::ThreadWait};
use super::process::{self, Stat};

/// The variable that names the display of a process.
const DISPLAY: &str = "DISPLAY";

/// Returns the activity of a process, its descendants, and the processes that began on the same
/// display within the last `recent`; `None` if the kernel does not show it.
pub(super) fn of_program(pid: u32, recent: Duration) -> Option<ProgramActivity> {
    let mut timers = Timers::default();
    // Most busy programs are busy themselves, and a list of all processes takes longer.
    if !timers.add_process(pid, true)? {
        return Some(ProgramActivity::Busy);
    }
    for other in other_processes(pid, recent) {
        if !timers.add_process(other, false)? {
            return Some(ProgramActivity::Busy);
        }
    }
    Some(ProgramActivity::Waiting { main_timer: timers.main, other_timer: timers.other })
}

/// The shortest timers found so far.
#[derive(Debug, Default, PartialEq, Eq)]
struct Timers {
    main: Option<Duration>,
    other: Option<Duration>,
}

impl Timers {
    /// Adds the threads of a process. Returns `false` if the process is busy, and `None` if the
    /// kernel does not show its threads.
    fn add_process(&mut self, pid: u32, has_main_loop: bool) -> Option<bool> {
        let Ok(threads) = fs::read_dir(format!("/proc/{pid}/task")) else {
            // Apart from the app itself, a process that has ended does nothing.
            return (!has_main_loop).then_some(true);
        };
        for thread in threads.flatten() {
            let wait = match fs::read_to_string(thread.path().join("syscall")) {
                Ok(line) => thread_wait::parse(&line, pid),
                Err(error) if error.kind() == std::io::ErrorKind::PermissionDenied => return None,
                // The thread has ended since the folder was listed.
                Err(_) => continue,
            };
            match wait {
                ThreadWait::Busy => return Some(false),
                ThreadWait::Event => {}
                ThreadWait::Timer(time) => {
                    let is_main =
                        has_main_loop && thread.file_name().to_str() == Some(&pid.to_string());
                    let shortest = if is_main { &mut self.main } else { &mut self.other };
                    *shortest = Some(shortest.map_or(time, |shortest| shortest.min(time)));
                }
            }
        }
        // POSIX timers do not show when they end.
        if fs::read_to_string(format!("/proc/{pid}/timers")).is_ok_and(|timers| !timers.is_empty())
        {
            return Some(false);
        }
        let descriptors = Descriptors::read(pid);
        if descriptors.has_connection(pid) {
            return Some(false);
        }
        let armed = descriptors.timers(pid);
        self.other = self.other.into_iter().chain(armed).min();
        Some(true)
    }
}

/// Returns the descendants of a process, and the processes that began on its display within the last
/// `recent`. An app may start a program through a service, so that it is not a descendant.
fn other_processes(pid: u32, recent: Duration) -> Vec<u32> {
    let all: Vec<(u32, Stat)> = process::list_pids()
        .into_iter()
        .filter_map(|pid| Some((pid, Stat::read(pid).filter(|stat| stat.is_running)?)))
        .collect();
    let mut members = vec![pid];
    let mut next = 0;
    while let Some(parent) = members.get(next).copied() {
        members.extend(all.iter().filter(|(_, stat)| stat.parent == parent).map(|(one, _)| *one));
        next += 1;
    }
    if let (Some(display), Some(uptime)) = (process::variable(pid, DISPLAY), process::uptime()) {
        let own = std::process::id();
        let is_recent = |(one, stat): &&(u32, Stat)| {
            stat.age_at(uptime) <= recent
                && *one != own
                && stat.parent != own
                && !members.contains(one)
                && process::variable(*one, DISPLAY).as_ref() == Some(&display)
        };
        let recent: Vec<u32> = all.iter().filter(is_recent).map(|(one, _)| *one).collect();
        members.extend(recent);
    }
    members.remove(0);
    members
}

#[cfg(test)]
mod tests {
    use std::{
        net::{TcpListener, TcpStream},
        process::{Child, Command, Stdio},
        time::Instant,
    };

    use super::*;

    /// Waits until the activity of a process is as expected.
    fn becomes(child: &mut Child, expected: impl Fn(Option<ProgramActivity>) -> bool) -> bool {
        let started = Instant::now();
        let mut found = false;
        while !found && started.elapsed() < Duration::from_secs(9) {
            found = expected(of_program(child.id(), Duration::ZERO));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        found
    }

    #[test]
    fn the_timer_of_a_sleeping_process_is_found() {
        let mut child = Command::new("sleep").arg("100").spawn().unwrap();
        let long = Some(Duration::from_secs(100));
        assert!(becomes(&mut child, |activity| {
            activity == Some(ProgramActivity::Waiting { main_timer: long, other_timer: None })
        }));
    }

    #[test]
    fn a_process_that_waits_for_input_has_no_timer() {
        let mut child =
            Command::new("cat").stdin(Stdio::piped()).stdout(Stdio::null()).spawn().unwrap();
        let no_timer = ProgramActivity::Waiting { main_timer: None, other_timer: None };
        assert!(becomes(&mut child, |activity| activity == Some(no_timer)));
    }

    #[test]
    fn the_timer_of_a_child_counts() {
        let mut child = Command::new("sh").args(["-c", "sleep 100; true"]).spawn().unwrap();
        let long = Some(Duration::from_secs(100));
        let grandchild = |activity| match activity {
            Some(ProgramActivity::Waiting { main_timer: None, other_timer }) => other_timer == long,
            _ => false,
        };
        let started = Instant::now();
        while !grandchild(of_program(child.id(), Duration::ZERO)) {
            assert!(started.elapsed() < Duration::from_secs(9), "the timer is not found");
        }
        for pid in other_processes(child.id(), Duration::ZERO) {
            let pid = rustix::process::Pid::from_raw(i32::try_from(pid).unwrap()).unwrap();
            rustix::process::kill_process(pid, rustix::process::Signal::KILL).unwrap();
        }
        child.wait().unwrap();
    }

    #[test]
    fn a_computing_process_is_busy() {
        let mut child = Command::new("sh").args(["-c", "while :; do :; done"]).spawn().unwrap();
        assert!(becomes(&mut child, |activity| activity == Some(ProgramActivity::Busy)));
    }

    #[test]
    fn a_process_with_a_connection_is_busy() {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let stream = TcpStream::connect(listener.local_addr().unwrap()).unwrap();
        let mut child = Command::new("cat")
            .stdin(Stdio::from(std::os::fd::OwnedFd::from(stream)))
            .spawn()
            .unwrap();
        assert!(becomes(&mut child, |activity| activity == Some(ProgramActivity::Busy)));
    }

    #[test]
    fn the_activity_of_a_process_that_has_ended_is_unknown() {
        let mut child = Command::new("true").spawn().unwrap();
        let pid = child.id();
        child.wait().unwrap();
        assert_eq!(of_program(pid, Duration::ZERO), None);
    }
}
