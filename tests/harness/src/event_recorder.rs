//! An app that reports every input event it receives: `tests/apps/gtk3_events.py`.

use std::cell::RefCell;

use serde_json::Value;
use x11rb::protocol::xinput::{ConnectionExt as _, DeviceType};
use x11rb::protocol::xproto::ConnectionExt as _;

use crate::timing::QUIET_PERIOD;
use crate::{App, Program, TestDesktop};

/// The recording app, the position of its window, and the events not yet taken.
pub struct EventRecorder {
    /// The running app.
    pub program: Program,
    window_origin: (i32, i32),
    pending: RefCell<Vec<Value>>,
}

impl EventRecorder {
    /// Starts the app. Its window has the keyboard focus.
    pub fn start(desktop: &TestDesktop) -> Self {
        let program = desktop.start(App::Fixture("gtk3_events.py", &[]));
        let number = |value: &Value| i32::try_from(value.as_i64().unwrap()).unwrap();
        let windows = desktop.windows();
        let own = windows.iter().find(|one| one["pid"] == program.pid());
        let bounds = &own.unwrap_or_else(|| panic!("{windows:?}"))["bounds"];
        let window_origin = (number(&bounds["x"]), number(&bounds["y"]));
        let recorder = Self { program, window_origin, pending: RefCell::default() };
        recorder.take_events();
        recorder
    }

    /// Converts a point inside the window to screen coordinates.
    pub fn inside(&self, x: i32, y: i32) -> (i32, i32) {
        (self.window_origin.0 + x, self.window_origin.1 + y)
    }

    /// Discards the events reported so far.
    pub fn clear_events(&self) {
        self.take_events();
    }

    /// Waits until no more events arrive, then returns all events since the last call.
    pub fn take_events(&self) -> Vec<Value> {
        while let Some(line) = self.program.next_line(QUIET_PERIOD) {
            self.pending.borrow_mut().extend(serde_json::from_str::<Value>(&line));
        }
        self.pending.take()
    }

    /// Returns the events of one kind since the last call.
    pub fn events(&self, kind: &str) -> Vec<Value> {
        let mut all = self.take_events();
        all.retain(|one| one["event"] == kind);
        all
    }

    /// Formats button events, such as `down 1`.
    pub fn button_summary(&self, events: &[Value]) -> Vec<String> {
        let buttons = events.iter().filter(|one| !one["button"].is_null());
        buttons.map(|one| format!("{} {}", one["event"].as_str().unwrap(), one["button"])).collect()
    }

    /// Formats the key events since the last call, such as `down ctrl a`: event, held modifiers,
    /// key.
    pub fn key_summary(&self) -> Vec<String> {
        let all = self.take_events();
        let keys = all.iter().filter(|one| !one["key"].is_null());
        keys.map(|one| {
            let held: Vec<&str> =
                one["held"].as_array().unwrap().iter().filter_map(Value::as_str).collect();
            let kind = one["event"].as_str().unwrap().trim_start_matches("key ");
            format!("{kind} {} {}", held.join("+"), one["key"].as_str().unwrap()).replace("  ", " ")
        })
        .collect()
    }

    /// Returns the keycodes that are down according to the X server.
    pub fn keys_down(&self, desktop: &TestDesktop) -> Vec<u8> {
        let connection = desktop.info().connect_x11().unwrap();
        let keys = connection.query_keymap().unwrap().reply().unwrap().keys;
        let is_down = |code: &u8| keys[usize::from(code / 8)] & (1 << (code % 8)) != 0;
        (0..=u8::MAX).filter(is_down).collect()
    }

    /// Returns the number of master keyboards of the X server. Each has its own focus.
    pub fn master_keyboards(&self, desktop: &TestDesktop) -> usize {
        const EVERY_MASTER: u16 = 1;
        let connection = desktop.info().connect_x11().unwrap();
        connection.xinput_xi_query_version(2, 2).unwrap().reply().unwrap();
        let found = connection.xinput_xi_query_device(EVERY_MASTER).unwrap().reply().unwrap();
        found.infos.iter().filter(|one| one.type_ == DeviceType::MASTER_KEYBOARD).count()
    }
}
