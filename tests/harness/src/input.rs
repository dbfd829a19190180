//! Real pointer and keyboard input, sent through the XTEST extension.

use std::time::Duration;

use x11rb::connection::Connection;
use x11rb::protocol::xproto::{
    AtomEnum, BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT, ConfigureWindowAux, ConnectionExt as _,
    KEY_PRESS_EVENT, KEY_RELEASE_EVENT, MOTION_NOTIFY_EVENT, Window,
};
use x11rb::protocol::xtest::ConnectionExt as _;
use x11rb::rust_connection::RustConnection;

use crate::TestDesktop;

/// A pointer and a keyboard on a test desktop.
pub struct RealInput {
    x: RustConnection,
    root: Window,
}

impl TestDesktop {
    /// Returns a real pointer and keyboard on this desktop. Coordinates are those of the whole
    /// screen.
    pub fn real_input(&self) -> RealInput {
        let x = self.info().connect_x11().unwrap_or_else(|error| panic!("no display: {error}"));
        let root = x.setup().roots[0].root;
        RealInput { x, root }
    }
}

impl RealInput {
    /// Moves the pointer.
    pub fn move_to(&self, (x, y): (i32, i32)) {
        let (x, y) = (i16::try_from(x).unwrap(), i16::try_from(y).unwrap());
        self.x.xtest_fake_input(MOTION_NOTIFY_EVENT, 0, 0, self.root, x, y, 0).unwrap();
        self.x.round_trip();
        std::thread::sleep(Duration::from_millis(60));
    }

    /// Moves the pointer and clicks the left button.
    pub fn click(&self, at: (i32, i32)) {
        self.move_to(at);
        for kind in [BUTTON_PRESS_EVENT, BUTTON_RELEASE_EVENT] {
            self.x.xtest_fake_input(kind, 1, 0, self.root, 0, 0, 0).unwrap();
            self.x.round_trip();
            std::thread::sleep(Duration::from_millis(30));
        }
    }

    /// Types lower-case letters, digits, dashes and spaces in the current keyboard layout.
    pub fn type_text(&self, text: &str) {
        for letter in text.chars() {
            self.press(u32::from(letter));
        }
    }

    /// Presses and releases the key of a keysym. The keysym must be on the first level of its key.
    pub fn press(&self, keysym: u32) {
        self.chord(&[keysym]);
    }

    /// Presses several keys in order and releases them in reverse order.
    pub fn chord(&self, keysyms: &[u32]) {
        let codes: Vec<u8> = keysyms.iter().map(|keysym| self.code(*keysym)).collect();
        let down = codes.iter().map(|code| (KEY_PRESS_EVENT, *code));
        let up = codes.iter().rev().map(|code| (KEY_RELEASE_EVENT, *code));
        for (kind, code) in down.chain(up) {
            self.x.xtest_fake_input(kind, code, 0, self.root, 0, 0, 0).unwrap();
        }
        self.x.round_trip();
        std::thread::sleep(Duration::from_millis(15));
    }

    fn code(&self, keysym: u32) -> u8 {
        let setup = self.x.setup();
        let (first, last) = (setup.min_keycode, setup.max_keycode);
        let mapping =
            self.x.get_keyboard_mapping(first, last - first + 1).unwrap().reply().unwrap();
        let width = usize::from(mapping.keysyms_per_keycode);
        let index = mapping.keysyms.chunks(width).position(|key| key[0] == keysym);
        let index = index.unwrap_or_else(|| panic!("no key for {keysym:#x}"));
        first + u8::try_from(index).unwrap()
    }

    /// Returns the windows under a point, from the outermost to the innermost.
    pub fn windows_at(&self, at: (i32, i32)) -> Vec<Window> {
        let (x, y) = (i16::try_from(at.0).unwrap(), i16::try_from(at.1).unwrap());
        let mut chain = Vec::new();
        let mut window = self.root;
        loop {
            let found = self.x.translate_coordinates(self.root, window, x, y).unwrap().reply();
            let child = found.unwrap().child;
            if child == x11rb::NONE {
                return chain;
            }
            chain.push(child);
            window = child;
        }
    }

    /// Returns the top-level windows in `_NET_CLIENT_LIST`.
    pub fn clients(&self) -> Vec<Window> {
        let atom = self.atom("_NET_CLIENT_LIST");
        let list = self.x.get_property(false, self.root, atom, AtomEnum::WINDOW, 0, 999);
        list.unwrap().reply().unwrap().value32().map(Iterator::collect).unwrap_or_default()
    }

    /// Moves a top-level window with a configure request, as its own program would.
    pub fn move_window(&self, window: Window, (x, y): (i32, i32)) {
        let index = ConfigureWindowAux::new().x(x).y(y);
        self.x.configure_window(window, &index).unwrap().check().unwrap();
        self.x.round_trip();
        std::thread::sleep(Duration::from_millis(400));
    }

    /// Asks the window manager to close a top-level window (`_NET_CLOSE_WINDOW`).
    pub fn close_window(&self, window: Window) {
        use x11rb::protocol::xproto::{ClientMessageEvent, EventMask};
        let close = self.atom("_NET_CLOSE_WINDOW");
        let event = ClientMessageEvent::new(32, window, close, [0, 2, 0, 0, 0]);
        let mask = EventMask::SUBSTRUCTURE_REDIRECT | EventMask::SUBSTRUCTURE_NOTIFY;
        self.x.send_event(false, self.root, mask, event).unwrap().check().unwrap();
    }

    fn atom(&self, name: &str) -> u32 {
        self.x.intern_atom(false, name.as_bytes()).unwrap().reply().unwrap().atom
    }
}

/// Waits until the X server has processed all earlier requests.
trait RoundTrip {
    fn round_trip(&self);
}

impl RoundTrip for RustConnection {
    fn round_trip(&self) {
        self.get_input_focus().unwrap().reply().unwrap();
    }
}
