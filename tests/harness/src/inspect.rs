//! Facts about windows and processes from sources other than Deskhand: the X server, `wmctrl`,
//! `xprop` and `/proc`.

use std::path::Path;
use std::time::{Duration, Instant};

use serde_json::Value;
use x11rb::connection::Connection;
use x11rb::protocol::xproto::{AtomEnum, ConnectionExt as _, MapState, Window};
use x11rb::rust_connection::RustConnection;

use crate::{Outcome, TestDesktop};

/// Reads the windows of a test desktop without Deskhand.
pub struct WindowInspector<'a> {
    desktop: &'a TestDesktop,
    x: RustConnection,
    root: Window,
}

/// A rectangle on the X screen.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Rect {
    /// The left edge.
    pub x: i32,
    /// The top edge.
    pub y: i32,
    /// Width in pixels.
    pub width: i32,
    /// Height in pixels.
    pub height: i32,
}

impl TestDesktop {
    /// Returns an independent reader of this desktop's windows.
    pub fn window_inspector(&self) -> WindowInspector<'_> {
        let x = self.info().connect_x11().unwrap_or_else(|error| panic!("no display: {error}"));
        let root = x.setup().roots[0].root;
        WindowInspector { desktop: self, x, root }
    }

    /// Runs a tool by name with `--format json`. `window_move` becomes the command `window move`.
    pub fn call(&self, tool: &str, arguments: &[&str]) -> Outcome {
        let mut line: Vec<&str> = tool.split('_').collect();
        line.extend(["--format", "json"]);
        line.extend(arguments);
        self.deskhand(&line)
    }

    /// Runs a tool, checks its `effect` and exit code, and returns its output. `no_effect` and
    /// `refused` exit with 1, all other effects with 0.
    pub fn effect(&self, tool: &str, arguments: &[&str], effect: &str) -> Value {
        let outcome = self.call(tool, arguments);
        let answer: Value = serde_json::from_slice(&outcome.stdout)
            .unwrap_or_else(|error| panic!("{outcome}: {error}"));
        assert_eq!(answer["effect"], effect, "{outcome}");
        let code = i32::from(matches!(effect, "no_effect" | "refused"));
        assert_eq!(outcome.code, Some(code), "{outcome}");
        answer
    }
}

impl WindowInspector<'_> {
    /// Returns the windows of a process, as `wmctrl` lists them.
    pub fn windows_of(&self, pid: u32) -> Vec<Window> {
        let list = Outcome::of(self.desktop.command("wmctrl").arg("-lp")).text();
        let fields = |line: &str| {
            let mut words = line.split_whitespace();
            let id = words.next()?.strip_prefix("0x")?;
            let owner: u32 = words.nth(1)?.parse().ok()?;
            Some((u32::from_str_radix(id, 16).ok()?, owner))
        };
        list.lines()
            .filter_map(fields)
            .filter(|(_, owner)| *owner == pid)
            .map(|(id, _)| id)
            .collect()
    }

    /// Waits until a process has exactly one window and returns it.
    pub fn window_of(&self, pid: u32) -> Window {
        let mut found = Vec::new();
        let is_there = wait_until(|| {
            found = self.windows_of(pid);
            found.len() == 1
        });
        assert!(is_there, "process {pid} has the windows {found:?}");
        found[0]
    }

    /// Returns a window property as `xprop` prints it.
    pub fn property(&self, window: Window, name: &str) -> String {
        let id = window.to_string();
        Outcome::of(self.desktop.command("xprop").args(["-id", &id, name])).text()
    }

    /// Returns the outer rectangle of a window, including the decorations of the window manager.
    pub fn frame(&self, window: Window) -> Rect {
        let mut outermost = window;
        loop {
            let tree = self.x.query_tree(outermost).unwrap().reply().unwrap();
            if tree.parent == self.root || tree.parent == x11rb::NONE {
                break;
            }
            outermost = tree.parent;
        }
        let geometry = self.x.get_geometry(outermost).unwrap().reply().unwrap();
        let border = 2 * i32::from(geometry.border_width);
        Rect {
            x: geometry.x.into(),
            y: geometry.y.into(),
            width: i32::from(geometry.width) + border,
            height: i32::from(geometry.height) + border,
        }
    }

    /// Returns `true` if a window is viewable (X11 map state).
    pub fn is_shown(&self, window: Window) -> bool {
        let attributes = self.x.get_window_attributes(window).unwrap().reply();
        attributes.is_ok_and(|attributes| attributes.map_state == MapState::VIEWABLE)
    }

    /// Returns `true` if a window exists.
    pub fn exists(&self, window: Window) -> bool {
        self.x.get_geometry(window).unwrap().reply().is_ok()
    }

    /// Returns the active window according to the window manager.
    pub fn active(&self) -> Window {
        let atom = self.x.intern_atom(false, b"_NET_ACTIVE_WINDOW").unwrap().reply().unwrap().atom;
        let reply = self.x.get_property(false, self.root, atom, AtomEnum::WINDOW, 0, 1);
        let reply = reply.unwrap().reply().unwrap();
        reply.value32().and_then(|mut all| all.next()).unwrap_or(x11rb::NONE)
    }

    /// Returns the pointer position.
    pub fn pointer(&self) -> (i16, i16) {
        let reply = self.x.query_pointer(self.root).unwrap().reply().unwrap();
        (reply.root_x, reply.root_y)
    }
}

/// Returns `true` if a process runs. A zombie does not run.
pub fn is_running(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    let state = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().next());
    state.is_some_and(|state| state != "Z" && state != "X")
}

/// Returns a variable of a process's initial environment.
pub fn variable(pid: u32, name: &str) -> Option<String> {
    let all = std::fs::read(format!("/proc/{pid}/environ")).ok()?;
    all.split(|byte| *byte == 0)
        .filter_map(|pair| std::str::from_utf8(pair).ok())
        .find_map(|pair| Some(pair.strip_prefix(name)?.strip_prefix('=')?.to_owned()))
}

/// Returns the session id of a process.
pub fn session(pid: u32) -> u32 {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).expect("the process runs");
    let (_, rest) = stat.rsplit_once(')').expect("the process name is in parentheses");
    rest.split_whitespace().nth(3).and_then(|id| id.parse().ok()).expect("a number")
}

/// Returns the path of a process's executable.
pub fn executable(pid: u32) -> String {
    let path = std::fs::read_link(Path::new("/proc").join(pid.to_string()).join("exe"));
    path.expect("the process runs").display().to_string()
}

/// Polls a condition for up to ten seconds. Returns `true` as soon as it holds.
pub fn wait_until(mut condition: impl FnMut() -> bool) -> bool {
    let end = Instant::now() + Duration::from_secs(10);
    while Instant::now() < end {
        if condition() {
            return true;
        }
        std::thread::sleep(Duration::from_millis(30));
    }
    false
}
