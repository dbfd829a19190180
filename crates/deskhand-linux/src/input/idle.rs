//! Is an app done? Its threads tell: they sleep, and go on sleeping while the X server answers others.

use std::{fs, time::Duration};

use deskhand_platform::Deadline;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _, Window};

use crate::x11::{Server, Trouble};

type Asked<T> = std::result::Result<T, Trouble>;

/// How long an app that never rests is waited for.
const BUSY: Duration = Duration::from_secs(3);

/// How often a thread must be seen asleep without a break. One that waits for the server while that
/// draws was seen so four times in a row.
const LOOKS: u32 = 10;

/// How often to look.
const STEP: Duration = Duration::from_millis(1);

/// The process of an app that runs Return and shortcuts as commands, after the keys that follow them
/// if those are there by then: LibreOffice.
#[derive(Clone, Copy)]
pub(super) struct Process {
    pid: u32,
}

impl Process {
    /// The process of a window, if it is one of that kind.
    pub(super) fn of(server: &Server, window: Window) -> Asked<Option<Self>> {
        let (name, kind) = (AtomEnum::WM_CLASS, AtomEnum::STRING);
        let class = server.connection.get_property(false, window, name, kind, 0, 64)?.reply();
        // A window that is gone meanwhile has no class.
        let class = class.map(|reply| reply.value).unwrap_or_default().to_ascii_lowercase();
        let word = b"office";
        if !class.windows(word.len()).any(|part| part == word) {
            return Ok(None);
        }
        let pid = server.numbers(window, server.atoms._NET_WM_PID)?.first().copied();
        Ok(pid.map(|pid| Self { pid }))
    }

    /// Waits until it has nothing to do, for a while at most.
    pub(super) fn wait_idle(self, server: &Server, by: Deadline) -> Asked<()> {
        let end = by.or_after(BUSY);
        let mut since = None;
        let mut looks = 0;
        while looks < LOOKS && !end.passed() {
            let now = self.asleep();
            looks = if now.is_some() && now == since { looks + 1 } else { 0 };
            since = now;
            // Were it waiting for the server, it would get its answer before we get this one.
            server.connection.get_input_focus()?.reply()?;
            std::thread::sleep(STEP);
        }
        Ok(())
    }

    /// What its threads had run when they fell asleep; `None` while one runs or wants to. A process
    /// that is not known here never runs. The main thread alone does not tell: it also sleeps while
    /// the one that checks grammar works on the text.
    fn asleep(self) -> Option<String> {
        let threads = fs::read_dir(format!("/proc/{}/task", self.pid));
        let Ok(threads) = threads else { return Some(String::new()) };
        threads.flatten().map(|thread| ran(&thread.path().to_string_lossy())).collect()
    }
}

/// What a thread has run so far, if it sleeps.
fn ran(thread: &str) -> Option<String> {
    let Ok(stat) = fs::read_to_string(format!("{thread}/stat")) else {
        return Some(String::new());
    };
    // The state stands behind the name, which may hold anything but ends with the last bracket.
    let runs = stat.rsplit_once(") ").is_some_and(|(_, rest)| rest.starts_with('R'));
    // Kernels without these counts leave the state to go by.
    (!runs).then(|| fs::read_to_string(format!("{thread}/schedstat")).unwrap_or_default())
}
