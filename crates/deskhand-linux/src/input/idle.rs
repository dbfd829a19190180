//! Detects when an app is idle: all its threads stay asleep while the X server answers other
//! clients.

use std::fs;

use deskhand_platform::Deadline;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _, Window};

use super::timing::{IDLE_POLL_INTERVAL, IDLE_TIMEOUT};
use crate::x11::{X11Result, XServer};

/// Number of consecutive checks in which all threads must be asleep. A thread that waited for the
/// server to draw was once seen asleep in four consecutive checks.
const REQUIRED_IDLE_CHECKS: u32 = 10;

/// The process of an app that runs Return and shortcuts as deferred commands, possibly after keys
/// that were pressed later. LibreOffice is such an app.
#[derive(Clone, Copy)]
pub(super) struct DeferringApp {
    pid: u32,
}

impl DeferringApp {
    /// Returns the process of a window if it is such an app.
    pub(super) fn from_window(server: &XServer, window: Window) -> X11Result<Option<Self>> {
        let (name, kind) = (AtomEnum::WM_CLASS, AtomEnum::STRING);
        let class = server.connection.get_property(false, window, name, kind, 0, 64)?.reply();
        // If the window has closed, it has no class.
        let class = class.map(|reply| reply.value).unwrap_or_default().to_ascii_lowercase();
        let name_part = b"office";
        if !class.windows(name_part.len()).any(|part| part == name_part) {
            return Ok(None);
        }
        let pid = server.read_u32_list(window, server.atoms._NET_WM_PID)?.first().copied();
        Ok(pid.map(|pid| Self { pid }))
    }

    /// Waits until the app is idle, at most for `IDLE_TIMEOUT`.
    pub(super) fn wait_idle(self, server: &XServer, deadline: Deadline) -> X11Result<()> {
        let end = deadline.at_most(IDLE_TIMEOUT);
        let mut since = None;
        let mut checks = 0;
        while checks < REQUIRED_IDLE_CHECKS && !end.has_passed() {
            let now = self.idle_run_times();
            checks = if now.is_some() && now == since { checks + 1 } else { 0 };
            since = now;
            // If the app were waiting for the server, it would get its reply before this one.
            server.connection.get_input_focus()?.reply()?;
            std::thread::sleep(IDLE_POLL_INTERVAL);
        }
        Ok(())
    }

    /// Returns the run times of all threads, or `None` if a thread is running or runnable. A
    /// process that is not visible here counts as idle. The main thread alone is not enough: it
    /// also sleeps while the grammar checker's thread works on the text.
    fn idle_run_times(self) -> Option<String> {
        let threads = fs::read_dir(format!("/proc/{}/task", self.pid));
        let Ok(threads) = threads else { return Some(String::new()) };
        threads.flatten().map(|thread| idle_run_time(&thread.path().to_string_lossy())).collect()
    }
}

/// Returns the run time of a thread so far, or `None` if it is running.
fn idle_run_time(thread: &str) -> Option<String> {
    let Ok(stat) = fs::read_to_string(format!("{thread}/stat")) else {
        return Some(String::new());
    };
    // The state follows the thread name, which may contain anything but ends at the last bracket.
    let runs = stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('R'));
    // Kernels without scheduler statistics have no `schedstat`; then only the state counts.
    (!runs).then(|| fs::read_to_string(format!("{thread}/schedstat")).unwrap_or_default())
}
