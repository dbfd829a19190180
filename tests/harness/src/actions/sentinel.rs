//! The person at the desk: a window with the keyboard, a pointer at rest, a clipboard with an owner.
//!
//! What an action in the background does to any of them is a disturbance, also when it is put back.

use x11rb::COPY_DEPTH_FROM_PARENT;
use x11rb::connection::Connection;
use x11rb::protocol::Event;
use x11rb::protocol::xproto::{
    AtomEnum, ChangeWindowAttributesAux, ConnectionExt as _, CreateWindowAux, EventMask, PropMode,
    SELECTION_NOTIFY_EVENT, SelectionNotifyEvent, SelectionRequestEvent, Window, WindowClass,
};
use x11rb::wrapper::ConnectionExt as _;

use super::cell::Situation;
use super::window::Screen;
use crate::Stage;

/// Where the person works beside the app.
const BESIDE: [u32; 4] = [1400, 100, 400, 300];
/// Where the person works over the app.
const OVER: [u32; 4] = [0, 0, 1920, 1050];
/// Where the app is.
const APP: [u32; 4] = [20, 40, 1250, 900];
/// Where the pointer rests: over the sentinel in every situation.
const POINTER: (i16, i16) = (1600, 250);

/// The window of the person at the desk, over the X connection of the test.
pub struct Sentinel {
    screen: Screen,
    window: Window,
    app: Window,
    pub(crate) situation: Situation,
}

/// How everything is at one moment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scene {
    active: Window,
    keyboard: Window,
    pointer: (i16, i16),
    stacking: Vec<Window>,
    clipboard: Window,
    primary: Window,
    minimized: bool,
}

impl Sentinel {
    /// A sentinel beside the window of an app with this in its title.
    pub fn new(stage: &Stage, title: &str) -> Self {
        let screen = Screen::of(stage);
        let app = screen.titled(title);
        let window = screen.x.generate_id().unwrap();
        let mask = EventMask::FOCUS_CHANGE | EventMask::KEY_PRESS | EventMask::BUTTON_PRESS;
        let white = screen.x.setup().roots[0].white_pixel;
        let look = CreateWindowAux::new().background_pixel(white).event_mask(mask);
        let [x, y, width, height] = BESIDE.map(|it| u16::try_from(it).unwrap());
        let place = (x.cast_signed(), y.cast_signed());
        screen
            .x
            .create_window(
                COPY_DEPTH_FROM_PARENT,
                window,
                screen.root,
                place.0,
                place.1,
                width,
                height,
                0,
                WindowClass::INPUT_OUTPUT,
                0,
                &look,
            )
            .unwrap();
        let name = (AtomEnum::WM_NAME, AtomEnum::STRING);
        screen.x.change_property8(PropMode::REPLACE, window, name.0, name.1, b"Sentinel").unwrap();
        // The window takes the keyboard when it is given to it: flags = InputHint, input = true.
        let hints = [1, 1, 0, 0, 0, 0, 0, 0, 0];
        let kind = AtomEnum::WM_HINTS;
        screen.x.change_property32(PropMode::REPLACE, window, kind, kind, &hints).unwrap();
        screen.x.map_window(window).unwrap();
        let watch = ChangeWindowAttributesAux::new().event_mask(EventMask::PROPERTY_CHANGE);
        screen.x.change_window_attributes(screen.root, &watch).unwrap().check().unwrap();
        let sentinel = Self { screen, window, app, situation: Situation::Background };
        sentinel.screen.activate(window);
        sentinel.own();
        sentinel
    }

    /// Takes both selections, as a program does in which something was copied.
    fn own(&self) {
        for selection in [self.screen.atom("CLIPBOARD"), AtomEnum::PRIMARY.into()] {
            self.screen.x.set_selection_owner(self.window, selection, 0u32).unwrap();
        }
    }

    /// Brings the windows into a situation.
    pub fn arrange(&mut self, situation: Situation) {
        self.situation = situation;
        self.screen.activate(self.app);
        self.screen.place(self.app, APP);
        let place = if situation == Situation::Covered { OVER } else { BESIDE };
        self.screen.activate(self.window);
        self.screen.place(self.window, place);
        if situation == Situation::Minimized {
            self.screen.minimize(self.app);
        }
        self.restore();
    }

    /// Puts right what the last cell disturbed.
    pub fn restore(&self) {
        let screen = &self.screen;
        if self.situation == Situation::Minimized && !screen.is_minimized(self.app) {
            screen.minimize(self.app);
        }
        if self.situation != Situation::Minimized && screen.is_minimized(self.app) {
            screen.activate(self.app);
        }
        let on_top = screen.stacking().last() == Some(&self.window);
        if screen.active() != self.window || !on_top {
            screen.activate(self.window);
        }
        let (x, y) = POINTER;
        screen.x.warp_pointer(x11rb::NONE, screen.root, 0, 0, 0, 0, x, y).unwrap();
        let scene = self.scene();
        if scene.clipboard != self.window || scene.primary != self.window {
            self.own();
        }
        self.scene();
        self.drain();
    }

    /// Gives the keyboard to the app.
    pub fn give_way(&self) {
        self.screen.activate(self.app);
    }

    /// How everything is now.
    pub fn scene(&self) -> Scene {
        let screen = &self.screen;
        let owner = |selection: u32| {
            screen.x.get_selection_owner(selection).unwrap().reply().unwrap().owner
        };
        let pointer = screen.x.query_pointer(screen.root).unwrap().reply().unwrap();
        Scene {
            active: screen.active(),
            keyboard: screen.x.get_input_focus().unwrap().reply().unwrap().focus,
            pointer: (pointer.root_x, pointer.root_y),
            stacking: screen.stacking(),
            clipboard: owner(screen.atom("CLIPBOARD")),
            primary: owner(AtomEnum::PRIMARY.into()),
            minimized: screen.is_minimized(self.app),
        }
    }

    /// What changed for the person since a moment, also when it was put back.
    pub fn disturbed(&self, before: &Scene) -> Vec<&'static str> {
        let after = self.scene();
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
            |scene: &Scene| scene.stacking.iter().copied().filter(shared).collect::<Vec<_>>();
        note(order(&after) != order(before), "stacking");
        note(after.clipboard != before.clipboard, "clipboard");
        note(after.primary != before.primary, "selection");
        note(after.minimized != before.minimized, "minimized");
        let events = self.drain();
        note(events.is_focus_lost && after.keyboard == before.keyboard, "keyboard for a moment");
        note(events.is_touched, "input meant for the app");
        changed
    }

    /// What reached the sentinel since the last time.
    fn drain(&self) -> Reached {
        let mut reached = Reached::default();
        while let Some(event) = self.screen.x.poll_for_event().unwrap() {
            if let Event::FocusOut(_) = event {
                reached.is_focus_lost = true;
            } else if let Event::KeyPress(_) | Event::ButtonPress(_) = event {
                reached.is_touched = true;
            } else if let Event::SelectionRequest(asked) = event {
                self.refuse(&asked);
            }
        }
        reached
    }

    /// Tells a program that wants to paste that there is nothing.
    fn refuse(&self, asked: &SelectionRequestEvent) {
        let refusal = SelectionNotifyEvent {
            response_type: SELECTION_NOTIFY_EVENT,
            sequence: 0,
            time: asked.time,
            requestor: asked.requestor,
            selection: asked.selection,
            target: asked.target,
            property: x11rb::NONE,
        };
        let mask = EventMask::NO_EVENT;
        self.screen.x.send_event(false, asked.requestor, mask, refusal).unwrap();
    }
}

/// What reached the sentinel.
#[derive(Default)]
struct Reached {
    is_focus_lost: bool,
    is_touched: bool,
}
