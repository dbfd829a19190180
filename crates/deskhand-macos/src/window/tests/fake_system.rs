//! A fake window server and fake apps.

use std::{collections::HashMap, time::Duration};

use deskhand_model::Rect;
use deskhand_platform::Deadline;
use parking_lot::Mutex;

use crate::{
    screen::{AppKitScreen, Area, CgDisplay, Displays},
    tree::{AxElements, AxError, AxResult, Value},
    window::{AppNames, WindowAxApi, WindowInfo, WindowListApi, WindowScope, fixture::info},
};

/// An element of a fake app.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum FakeElement {
    App(u32),
    Window(u32),
    Close(u32),
    Zoom(u32),
}

type Attributes = HashMap<(FakeElement, String), Value<FakeElement>>;

/// The content of the fake system, and its errors.
#[derive(Default)]
pub(super) struct FakeSystem {
    pub(super) windows: Mutex<Vec<WindowInfo>>,
    pub(super) attributes: Mutex<Attributes>,
    /// The errors, by element and by attribute or action.
    pub(super) errors: Mutex<HashMap<(FakeElement, String), AxError>>,
    /// The pids of apps that do not answer.
    pub(super) silent: Mutex<Vec<u32>>,
    pub(super) frontmost_pid: Option<u32>,
    pub(super) can_zoom: bool,
    /// The result of every hit test.
    pub(super) hit: Option<FakeElement>,
    /// All actions and changes.
    pub(super) sent: Mutex<Vec<String>>,
    /// The pid and the timeout of every read of an app.
    pub(super) reads: Mutex<Vec<(u32, Duration)>>,
}

impl FakeSystem {
    fn check(&self, of: FakeElement, name: &str) -> AxResult<()> {
        let errors = self.errors.lock();
        errors.get(&(of, name.to_owned())).map_or(Ok(()), |error| Err(*error))
    }

    pub(super) fn give(&self, of: FakeElement, name: &str, value: Value<FakeElement>) {
        self.attributes.lock().insert((of, name.to_owned()), value);
    }

    pub(super) fn refuse(&self, of: FakeElement, name: &str, error: AxError) {
        self.errors.lock().insert((of, name.to_owned()), error);
    }

    pub(super) fn sent(&self) -> Vec<String> {
        std::mem::take(&mut *self.sent.lock())
    }

    /// Adds an app with windows: number, title, frame and whether it is minimized.
    pub(super) fn program(&self, pid: u32, windows: &[(u32, &str, Rect, bool)]) {
        let app = FakeElement::App(pid);
        let elements =
            windows.iter().map(|(number, ..)| Value::Element(FakeElement::Window(*number)));
        self.give(app, "AXWindows", Value::List(elements.collect()));
        self.give(app, "AXFrontmost", Value::Flag(false));
        self.give(app, "AXHidden", Value::Flag(false));
        for (number, title, frame, minimized) in windows {
            let window = FakeElement::Window(*number);
            self.give(window, "AXTitle", Value::Text((*title).to_owned()));
            self.give(window, "AXPosition", Value::Point(frame.x.into(), frame.y.into()));
            self.give(window, "AXSize", Value::Size(frame.width.into(), frame.height.into()));
            self.give(window, "AXMinimized", Value::Flag(*minimized));
            self.give(window, "AXFullScreen", Value::Flag(false));
            self.give(window, "AXCloseButton", Value::Element(FakeElement::Close(*number)));
            self.give(window, "AXZoomButton", Value::Element(FakeElement::Zoom(*number)));
            self.give(window, "AXSubrole", Value::Text("AXStandardWindow".to_owned()));
            self.give(window, "AXParent", Value::Element(app));
        }
    }
}

impl WindowListApi for FakeSystem {
    fn windows(&self, scope: WindowScope) -> deskhand_platform::Result<Vec<WindowInfo>> {
        let all = self.windows.lock().clone();
        let within = |info: &WindowInfo| match scope {
            WindowScope::OnScreen => info.on_screen,
            WindowScope::All => true,
            WindowScope::One(number) => info.number == number,
        };
        Ok(all.into_iter().filter(within).collect())
    }
}

impl Displays for FakeSystem {
    fn cg_displays(&self) -> deskhand_platform::Result<Vec<CgDisplay>> {
        let one = |id, x: f64, main| {
            let bounds = Area::new(x, 0.0, 1440.0, 900.0);
            CgDisplay { id, bounds, main, points_wide: 1440, pixels_wide: 2880 }
        };
        Ok(vec![one(1, 0.0, true), one(2, 1440.0, false)])
    }

    fn appkit_screens(&self) -> Vec<AppKitScreen> {
        let screen = |id, x: f64, above: f64, below: f64| AppKitScreen {
            id,
            name: format!("screen {id}"),
            frame: Area::new(x, 0.0, 1440.0, 900.0),
            visible: Area::new(x, below, 1440.0, 900.0 - above - below),
        };
        vec![screen(1, 0.0, 25.0, 75.0), screen(2, 1440.0, 25.0, 0.0)]
    }

    fn pointer(&self) -> Option<(f64, f64)> {
        Some((200.5, 100.5))
    }
}

impl AxElements for FakeSystem {
    type Element = FakeElement;

    fn app_element(&self, pid: u32) -> Option<FakeElement> {
        (pid != 0).then_some(FakeElement::App(pid))
    }

    fn pid_of(&self, of: &FakeElement) -> AxResult<u32> {
        match of {
            FakeElement::App(pid) => Ok(*pid),
            FakeElement::Window(_) | FakeElement::Close(_) | FakeElement::Zoom(_) => Ok(300),
        }
    }

    fn attribute(&self, of: &FakeElement, name: &str, _: Deadline) -> AxResult<Value<FakeElement>> {
        self.check(*of, name)?;
        let attributes = self.attributes.lock();
        attributes.get(&(*of, name.to_owned())).cloned().ok_or(AxError::NoValue)
    }

    fn attributes(
        &self,
        of: &FakeElement,
        names: &[&str],
        deadline: Deadline,
    ) -> AxResult<Vec<Value<FakeElement>>> {
        if let FakeElement::App(pid) = of {
            self.reads.lock().push((*pid, deadline.remaining()));
            if self.silent.lock().contains(pid) {
                std::thread::sleep(deadline.remaining().min(Duration::from_millis(20)));
                return Err(AxError::CannotComplete);
            }
        }
        self.check(*of, "")?;
        let attributes = self.attributes.lock();
        let value = |name: &&str| attributes.get(&(*of, (*name).to_owned())).cloned();
        let none = || Value::Error(AxError::NoValue);
        Ok(names.iter().map(|name| value(name).unwrap_or_else(none)).collect())
    }

    fn action_names(&self, of: &FakeElement, _: Deadline) -> AxResult<Vec<String>> {
        self.check(*of, "actions")?;
        let zoom = self.can_zoom.then(|| "AXZoomWindow".to_owned());
        Ok(["AXPress".to_owned()].into_iter().chain(zoom).collect())
    }

    fn perform_action(&self, on: &FakeElement, action: &str, _: Deadline) -> AxResult<()> {
        self.sent.lock().push(format!("{on:?} {action}"));
        self.check(*on, action)
    }

    fn set_attribute(
        &self,
        on: &FakeElement,
        name: &str,
        to: &Value<FakeElement>,
        _: Deadline,
    ) -> AxResult<()> {
        self.check(*on, name)?;
        self.sent.lock().push(format!("{on:?} {name}={}", to.to_display_string()));
        self.give(*on, name, to.clone());
        Ok(())
    }
}

impl WindowAxApi for FakeSystem {
    fn window_number(&self, of: &FakeElement, _: Deadline) -> AxResult<u32> {
        match of {
            FakeElement::Window(number) if *number != 0 => Ok(*number),
            FakeElement::Window(_)
            | FakeElement::App(_)
            | FakeElement::Close(_)
            | FakeElement::Zoom(_) => Err(AxError::IllegalArgument),
        }
    }

    fn system_wide(&self) -> FakeElement {
        FakeElement::App(0)
    }

    fn element_at(&self, x: f64, _: f64, _: Deadline) -> AxResult<FakeElement> {
        self.hit.filter(|_| x >= 0.0).ok_or(AxError::NoValue)
    }

    fn frontmost_pid(&self) -> Option<u32> {
        self.frontmost_pid
    }

    fn app_names(&self, pid: u32) -> Option<AppNames> {
        let bundle_id = (pid == 501).then(|| "com.apple.TextEdit".to_owned());
        let name = bundle_id.clone().map(|_| "TextEdit".to_owned());
        (pid != 503).then_some(AppNames { name, bundle_id })
    }
}

pub(super) const LETTER: Rect = Rect::new(100, 60, 600, 400);
const PAGE: Rect = Rect::new(50, 37, 1200, 800);

/// TextEdit with a letter in front, a minimized note and a tooltip; Safari with a page behind it; a game
/// without accessibility; the menu bar.
pub(super) fn fake_system() -> FakeSystem {
    let hidden = |info: WindowInfo| WindowInfo { on_screen: false, ..info };
    let titled =
        |info: WindowInfo, title: &str| WindowInfo { title: Some(title.to_owned()), ..info };
    let system = FakeSystem::default();
    *system.windows.lock() = vec![
        info(91, 24, 88, "Window Server", Rect::new(0, 0, 1440, 25)),
        info(15, 0, 501, "TextEdit", Rect::new(300, 300, 80, 20)),
        info(11, 0, 501, "TextEdit", LETTER),
        titled(info(12, 0, 502, "Safari", PAGE), "from the list"),
        titled(info(14, 0, 503, "Game", Rect::new(0, 0, 640, 480)), "Game"),
        hidden(info(13, 0, 501, "TextEdit", Rect::new(10, 10, 300, 200))),
        hidden(info(19, 0, 502, "Safari", Rect::new(0, 0, 500, 500))),
    ];
    let note = (13, "note.txt", Rect::new(10, 10, 300, 200), true);
    system.program(501, &[(11, "letter.txt", LETTER, false), note, (0, "?", LETTER, false)]);
    system.program(502, &[(12, "", PAGE, false)]);
    system.program(503, &[]);
    system.give(FakeElement::App(501), "AXFrontmost", Value::Flag(true));
    system.give(FakeElement::App(501), "AXFocusedWindow", Value::Element(FakeElement::Window(11)));
    system
}
