//! Reads and controls windows through raw X requests to the window manager.

use std::{
    cell::Cell,
    time::{Duration, Instant},
};

use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    Atom, AtomEnum, ClientMessageEvent, ConnectionExt as _, EventMask, Window,
};
use x11rb::rust_connection::RustConnection;

use crate::TestDesktop;
use crate::timing::{ACTIVATE_RETRY_INTERVAL, WM_TIMEOUT};

/// `IconicState` of ICCCM: the window is minimized.
const ICONIC_STATE: u32 = 3;
/// The source indication of a pager (EWMH). Window managers obey it unconditionally.
const SOURCE_PAGER: u32 = 2;

/// The atoms used in this module.
const ATOM_NAMES: [&str; 8] = [
    "_NET_CLIENT_LIST_STACKING",
    "_NET_ACTIVE_WINDOW",
    "_NET_MOVERESIZE_WINDOW",
    "WM_CHANGE_STATE",
    "WM_STATE",
    "_NET_WM_NAME",
    "UTF8_STRING",
    "CLIPBOARD",
];

/// A connection to the X server of a test desktop.
pub(crate) struct WindowManager {
    pub(crate) x: RustConnection,
    pub(crate) root: Window,
    atoms: Vec<Atom>,
}

impl WindowManager {
    pub(crate) fn connect(desktop: &TestDesktop) -> Self {
        let x = desktop.info().connect_x11().unwrap_or_else(|error| panic!("no display: {error}"));
        let root = x.setup().roots[0].root;
        let intern = |name: &&str| x.intern_atom(false, name.as_bytes()).unwrap().reply().unwrap();
        let atoms = ATOM_NAMES.iter().map(intern).map(|reply| reply.atom).collect();
        Self { x, root, atoms }
    }

    pub(crate) fn atom(&self, name: &str) -> Atom {
        self.atoms[ATOM_NAMES.iter().position(|one| *one == name).expect("the atom is in the list")]
    }

    fn property32(&self, window: Window, name: &str) -> Vec<u32> {
        let request = self.x.get_property(false, window, self.atom(name), AtomEnum::ANY, 0, 999);
        // The window may have been destroyed.
        let Ok(reply) = request.unwrap().reply() else { return Vec::new() };
        reply.value32().map(Iterator::collect).unwrap_or_default()
    }

    /// Returns the windows from bottom to top.
    pub(crate) fn stacking(&self) -> Vec<Window> {
        self.property32(self.root, "_NET_CLIENT_LIST_STACKING")
    }

    /// Returns the active window according to the window manager.
    pub(crate) fn active(&self) -> Window {
        self.property32(self.root, "_NET_ACTIVE_WINDOW").first().copied().unwrap_or(0)
    }

    pub(crate) fn is_minimized(&self, window: Window) -> bool {
        self.property32(window, "WM_STATE").first() == Some(&ICONIC_STATE)
    }

    fn title(&self, window: Window) -> String {
        let kind = self.atom("UTF8_STRING");
        let request = self.x.get_property(false, window, self.atom("_NET_WM_NAME"), kind, 0, 999);
        let Ok(reply) = request.unwrap().reply() else { return String::new() };
        String::from_utf8_lossy(&reply.value).into_owned()
    }

    /// Waits for a top-level window whose title contains `part`.
    pub(crate) fn find_by_title(&self, part: &str) -> Window {
        let end = Instant::now() + WM_TIMEOUT;
        loop {
            let found = self.stacking().into_iter().find(|one| self.title(*one).contains(part));
            if let Some(window) = found {
                return window;
            }
            assert!(Instant::now() < end, "no window has {part} in its title");
            std::thread::sleep(Duration::from_millis(20));
        }
    }

    fn send_client_message(&self, window: Window, message: &str, data: [u32; 5]) {
        let event = ClientMessageEvent::new(32, window, self.atom(message), data);
        let mask = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
        self.x.send_event(false, self.root, mask, event).unwrap().check().unwrap();
    }

    /// Raises a window and gives it the focus. A minimized window is restored.
    pub(crate) fn activate(&self, window: Window) {
        let send = || {
            self.send_client_message(window, "_NET_ACTIVE_WINDOW", [SOURCE_PAGER, 0, 0, 0, 0]);
            Instant::now()
        };
        let last_sent = Cell::new(send());
        // Java reacts late to focus and then takes it away from the window that received it in
        // between.
        self.wait_until("a window was not activated", || {
            let is_active = self.active() == window;
            if !is_active && last_sent.get().elapsed() > ACTIVATE_RETRY_INTERVAL {
                last_sent.set(send());
            }
            is_active
        });
    }

    pub(crate) fn minimize(&self, window: Window) {
        self.send_client_message(window, "WM_CHANGE_STATE", [ICONIC_STATE, 0, 0, 0, 0]);
        self.wait_until("a window was not minimized", || self.is_minimized(window));
    }

    /// Moves and resizes a window.
    pub(crate) fn place(&self, window: Window, [x, y, width, height]: [u32; 4]) {
        // Static gravity, all four values present, source indication of a pager.
        let flags = 10 | 0xf << 8 | SOURCE_PAGER << 12;
        self.send_client_message(window, "_NET_MOVERESIZE_WINDOW", [flags, x, y, width, height]);
        let near = |got: u32, expected: u32| got.abs_diff(expected) <= 40;
        self.wait_until("a window was not moved", || {
            let size = self.x.get_geometry(window).unwrap().reply().unwrap();
            near(size.width.into(), width) && near(size.height.into(), height)
        });
    }

    /// Waits until a condition holds. Panics after [`WM_TIMEOUT`].
    fn wait_until(&self, failure: &str, done: impl Fn() -> bool) {
        let end = Instant::now() + WM_TIMEOUT;
        while !done() {
            assert!(Instant::now() < end, "{failure}: stacking {:?}", self.stacking());
            std::thread::sleep(Duration::from_millis(5));
        }
    }
}
