//! A simulated user: a window with the keyboard focus, a pointer at rest, and ownership of the
//! clipboard.
//!
//! A background action that changes any of these disturbs the user, even if the change is undone.

use x11rb::COPY_DEPTH_FROM_PARENT;
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, CreateWindowAux, EventMask, PropMode,
    SELECTION_NOTIFY_EVENT, SelectionNotifyEvent, SelectionRequestEvent, Window, WindowClass,
};
use x11rb::wrapper::ConnectionExt as _;

use super::case::Situation;
use super::window_manager::WindowManager;
use crate::TestDesktop;

/// The user's window next to the app: x, y, width, height.
const USER_BESIDE_APP: [u32; 4] = [1400, 100, 400, 300];
/// The user's window covering the app.
const USER_OVER_APP: [u32; 4] = [0, 0, 1920, 1050];
/// The app's window.
const APP_WINDOW: [u32; 4] = [20, 40, 1250, 900];
/// The pointer position, over the user's window in every situation.
const POINTER_POSITION: (i16, i16) = (1600, 250);

/// The user's window, on the X connection of the test.
pub struct SimulatedUser {
    wm: WindowManager,
    window: Window,
    app: Window,
    pub(crate) situation: Situation,
}

/// The state of the user's desktop at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UserState {
    active: Window,
    keyboard: Window,
    pointer: (i16, i16),
    stacking: Vec<Window>,
    clipboard: Window,
    primary: Window,
    minimized: bool,
}

impl SimulatedUser {
    /// Opens the user's window next to the app window whose title contains `title`.
    pub fn new(desktop: &TestDesktop, title: &str) -> Self {
        let wm = WindowManager::connect(desktop);
        let app = wm.find_by_title(title);
        let window = wm.x.generate_id().unwrap();
        let mask = EventMask::FOCUS_CHANGE | EventMask::KEY_PRESS | EventMask::BUTTON_PRESS;
        let white = wm.x.setup().roots[0].white_pixel;
        let attributes = CreateWindowAux::new().background_pixel(white).event_mask(mask);
        let [x, y, width, height] = USER_BESIDE_APP.map(|it| u16::try_from(it).unwrap());
        let place = (x.cast_signed(), y.cast_signed());
        wm.x.create_window(
            COPY_DEPTH_FROM_PARENT,
            window,
            wm.root,
            place.0,
            place.1,
            width,
            height,
            0,
            WindowClass::INPUT_OUTPUT,
            0,
            &attributes,
        )
        .unwrap();
        let name = (AtomEnum::WM_NAME, AtomEnum::STRING);
        wm.x.change_property8(PropMode::REPLACE, window, name.0, name.1, b"Sentinel").unwrap();
        // ICCCM: flags = InputHint, input = true. The window accepts the keyboard focus.
        let hints = [1, 1, 0, 0, 0, 0, 0, 0, 0];
        let kind = AtomEnum::WM_HINTS;
        wm.x.change_property32(PropMode::REPLACE, window, kind, kind, &hints).unwrap();
        wm.x.map_window(window).unwrap();
        let watch = ChangeWindowAttributesAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        wm.x.change_window_attributes(wm.root, &watch).unwrap().check().unwrap();
        let user = Self { wm, window, app, situation: Situation::Background };
        user.wm.activate(window);
        user.own_selections();
        user
    }

    /// Takes ownership of both selections, like a program in which something was copied.
    fn own_selections(&self) {
        for selection in [self.wm.atom("CLIPBOARD"), AtomEnum::PRIMARY.into()] {
            self.wm.x.set_selection_owner(self.window, selection, 0u32).unwrap();
        }
    }

    /// Arranges the windows for a situation.
    pub fn arrange(&mut self, situation: Situation) {
        self.situation = situation;
        self.wm.activate(self.app);
        self.wm.place(self.app, APP_WINDOW);
        let place = if situation == Situation::Covered { USER_OVER_APP } else { USER_BESIDE_APP };
        self.wm.activate(self.window);
        self.wm.place(self.window, place);
        if situation == Situation::Minimized {
            self.wm.minimize(self.app);
        }
        self.restore();
    }

    /// Restores what the last case disturbed.
    pub fn restore(&self) {
        let wm = &self.wm;
        if self.situation == Situation::Minimized && !wm.is_minimized(self.app) {
            wm.minimize(self.app);
        }
        if self.situation != Situation::Minimized && wm.is_minimized(self.app) {
            wm.activate(self.app);
        }
        let on_top = wm.stacking().last() == Some(&self.window);
        if wm.active() != self.window || !on_top {
            wm.activate(self.window);
        }
        let (x, y) = POINTER_POSITION;
        wm.x.warp_pointer(x11rb::NONE, wm.root, 0, 0, 0, 0, x, y).unwrap();
        let state = self.state();
        if state.clipboard != self.window || state.primary != self.window {
            self.own_selections();
        }
        self.state();
        self.drain_events();
    }

    /// Gives the keyboard focus to the app.
    pub fn yield_focus(&self) {
        self.wm.activate(self.app);
    }

    /// Returns the current state.
    pub fn state(&self) -> UserState {
        let wm = &self.wm;
        let owner =
            |selection: u32| wm.x.get_selection_owner(selection).unwrap().reply().unwrap().owner;
        let pointer = wm.x.query_pointer(wm.root).unwrap().reply().unwrap();
        UserState {
            active: wm.active(),
            keyboard: wm.x.get_input_focus().unwrap().reply().unwrap().focus,
            pointer: (pointer.root_x, pointer.root_y),
            stacking: wm.stacking(),
            clipboard: owner(wm.atom("CLIPBOARD")),
            primary: owner(AtomEnum::PRIMARY.into()),
            minimized: wm.is_minimized(self.app),
        }
    }

    /// Returns what changed since an earlier state, including changes that were undone.
    pub fn disturbances_since(&self, before: &UserState) -> Vec<&'static str> {
        let after = self.state();
        let mut changed = Vec::new();
        let mut note = |differs: bool, what: &'static str| {
            if differs {
                changed.push(what);
            }
        };
        note(after.active != before.active, "active window");
        note(after.keyboard != before.keyboard, "keyboard");
        note(after.pointer != before.pointer, "pointer");
        let shared = |one: &Window| after.stacking.contains(one) && before.stacking.contains(one);
        let order =
            |state: &UserState| state.stacking.iter().copied().filter(shared).collect::<Vec<_>>();
        note(order(&after) != order(before), "stacking");
        note(after.clipboard != before.clipboard, "clipboard");
        note(after.primary != before.primary, "selection");
        note(after.minimized != before.minimized, "minimized");
        let events = self.drain_events();
        note(events.is_focus_lost && after.keyboard == before.keyboard, "keyboard for a moment");
        note(events.has_input, "input meant for the app");
        changed
    }

    /// Reads the events that the user's window received since the last call.
    fn drain_events(&self) -> ReceivedInput {
        let mut received = ReceivedInput::default();
        while let Some(event) = self.wm.x.poll_for_event().unwrap() {
            if let Event::FocusOut(_) = event {
                received.is_focus_lost = true;
            } else if let Event::KeyPress(_) | Event::ButtonPress(_) = event {
                received.has_input = true;
            } else if let Event::SelectionRequest(request) = event {
                self.refuse_paste(&request);
            }
        }
        received
    }

    /// Answers a paste request with an empty selection.
    fn refuse_paste(&self, request: &SelectionRequestEvent) {
        let refusal = SelectionNotifyEvent {
            response_type: SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time: request.time,
            requestor: request.requestor,
            selection: request.selection,
            target: request.target,
            property: x11rb::NONE,
        };
        let mask = EventMask::NO_EVENT;
        self.wm.x.send_event(false, request.requestor, mask, refusal).unwrap();
    }
}

/// Input received by the user's window.
#[derive(Default)]
struct ReceivedInput {
    is_focus_lost: bool,
    has_input: bool,
}
