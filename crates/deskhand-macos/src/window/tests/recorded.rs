//! A recorded system: a window server's list, and programs with elements.

use std::{collections::HashMap, result::Result, sync::Mutex, time::Duration};

use deskhand_model::Rect;
use deskhand_platform::Deadline;

use crate::{
    screen::{Area, Desk, Displays, Monitor},
    tree::{AxError, Value},
    window::{Elements, Pane, Panes, Program, Reach, fixture::pane},
};

/// An element of the recorded programs.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(super) enum Part {
    App(u32),
    Window(u32),
    Close(u32),
    Zoom(u32),
}

type Attributes = HashMap<(Part, String), Value<Part>>;

/// What a system answers.
#[derive(Default)]
pub(super) struct Recorded {
    pub(super) panes: Mutex<Vec<Pane>>,
    pub(super) attributes: Mutex<Attributes>,
    /// What is refused, by element and by attribute or action.
    pub(super) faults: Mutex<HashMap<(Part, String), AxError>>,
    /// Programs that do not answer.
    pub(super) mute: Mutex<Vec<u32>>,
    pub(super) frontmost: Option<u32>,
    pub(super) zooms: bool,
    /// What accessibility finds wherever it looks.
    pub(super) hit: Option<Part>,
    /// What was sent.
    pub(super) sent: Mutex<Vec<String>>,
    pub(super) asked: Mutex<Vec<(u32, Duration)>>,
}

impl Recorded {
    fn fault(&self, of: Part, name: &str) -> Result<(), AxError> {
        let faults = self.faults.lock().unwrap();
        faults.get(&(of, name.to_owned())).map_or(Ok(()), |fault| Err(*fault))
    }

    pub(super) fn give(&self, of: Part, name: &str, value: Value<Part>) {
        self.attributes.lock().unwrap().insert((of, name.to_owned()), value);
    }

    pub(super) fn refuse(&self, of: Part, name: &str, fault: AxError) {
        self.faults.lock().unwrap().insert((of, name.to_owned()), fault);
    }

    pub(super) fn sent(&self) -> Vec<String> {
        std::mem::take(&mut *self.sent.lock().unwrap())
    }

    /// A program with windows: their numbers, titles, places and whether they are minimized.
    pub(super) fn program(&self, pid: u32, windows: &[(u32, &str, Rect, bool)]) {
        let app = Part::App(pid);
        let elements = windows.iter().map(|(number, ..)| Value::Element(Part::Window(*number)));
        self.give(app, "AXWindows", Value::List(elements.collect()));
        self.give(app, "AXFrontmost", Value::Flag(false));
        self.give(app, "AXHidden", Value::Flag(false));
        for (number, title, place, minimized) in windows {
            let window = Part::Window(*number);
            self.give(window, "AXTitle", Value::Text((*title).to_owned()));
            self.give(window, "AXPosition", Value::Point(place.x.into(), place.y.into()));
            self.give(window, "AXSize", Value::Size(place.width.into(), place.height.into()));
            self.give(window, "AXMinimized", Value::Flag(*minimized));
            self.give(window, "AXFullScreen", Value::Flag(false));
            self.give(window, "AXCloseButton", Value::Element(Part::Close(*number)));
            self.give(window, "AXZoomButton", Value::Element(Part::Zoom(*number)));
            self.give(window, "AXSubrole", Value::Text("AXStandardWindow".to_owned()));
            self.give(window, "AXParent", Value::Element(app));
        }
    }
}

impl Panes for Recorded {
    fn panes(&self, reach: Reach) -> deskhand_platform::Result<Vec<Pane>> {
        let all = self.panes.lock().unwrap().clone();
        let within = |pane: &Pane| match reach {
            Reach::Shown => pane.on_screen,
            Reach::All => true,
            Reach::One(number) => pane.number == number,
        };
        Ok(all.into_iter().filter(within).collect())
    }
}

impl Displays for Recorded {
    fn monitors(&self) -> deskhand_platform::Result<Vec<Monitor>> {
        let one = |id, x: f64, main| {
            let bounds = Area::new(x, 0.0, 1440.0, 900.0);
            Monitor { id, bounds, main, points_wide: 1440, pixels_wide: 2880 }
        };
        Ok(vec![one(1, 0.0, true), one(2, 1440.0, false)])
    }

    fn desks(&self) -> Vec<Desk> {
        let desk = |id, x: f64, above: f64, below: f64| Desk {
            id,
            name: format!("desk {id}"),
            frame: Area::new(x, 0.0, 1440.0, 900.0),
            visible: Area::new(x, below, 1440.0, 900.0 - above - below),
        };
        vec![desk(1, 0.0, 25.0, 75.0), desk(2, 1440.0, 25.0, 0.0)]
    }

    fn pointer(&self) -> Option<(f64, f64)> {
        Some((200.5, 100.5))
    }
}

impl Elements for Recorded {
    type Element = Part;

    fn application(&self, pid: u32) -> Option<Part> {
        (pid != 0).then_some(Part::App(pid))
    }

    fn get_all(&self, of: &Part, names: &[&str], by: Deadline) -> Result<Vec<Value<Part>>, AxError> {
        if let Part::App(pid) = of {
            self.asked.lock().unwrap().push((*pid, by.left()));
            if self.mute.lock().unwrap().contains(pid) {
                std::thread::sleep(by.left().min(Duration::from_millis(20)));
                return Err(AxError::CannotComplete);
            }
        }
        self.fault(*of, "")?;
        let attributes = self.attributes.lock().unwrap();
        let value = |name: &&str| attributes.get(&(*of, (*name).to_owned())).cloned();
        let none = || Value::Error(AxError::NoValue);
        Ok(names.iter().map(|name| value(name).unwrap_or_else(none)).collect())
    }

    fn actions(&self, of: &Part, _: Deadline) -> Result<Vec<String>, AxError> {
        self.fault(*of, "actions")?;
        let zoom = self.zooms.then(|| "AXZoomWindow".to_owned());
        Ok(["AXPress".to_owned()].into_iter().chain(zoom).collect())
    }

    fn perform(&self, on: &Part, action: &str, _: Deadline) -> Result<(), AxError> {
        self.sent.lock().unwrap().push(format!("{on:?} {action}"));
        self.fault(*on, action)
    }

    fn set(&self, on: &Part, name: &str, to: &Value<Part>, _: Deadline) -> Result<(), AxError> {
        self.fault(*on, name)?;
        self.sent.lock().unwrap().push(format!("{on:?} {name}={}", to.printed()));
        self.give(*on, name, to.clone());
        Ok(())
    }

    fn number(&self, of: &Part, _: Deadline) -> Result<u32, AxError> {
        match of {
            Part::Window(number) if *number != 0 => Ok(*number),
            Part::Window(_) | Part::App(_) | Part::Close(_) | Part::Zoom(_) => {
                Err(AxError::IllegalArgument)
            }
        }
    }

    fn system_wide(&self) -> Part {
        Part::App(0)
    }

    fn get(&self, of: &Part, name: &str, _: Deadline) -> Result<Value<Part>, AxError> {
        self.fault(*of, name)?;
        let attributes = self.attributes.lock().unwrap();
        attributes.get(&(*of, name.to_owned())).cloned().ok_or(AxError::NoValue)
    }

    fn at(&self, x: f64, _: f64, _: Deadline) -> Result<Part, AxError> {
        self.hit.filter(|_| x >= 0.0).ok_or(AxError::NoValue)
    }

    fn pid(&self, of: &Part) -> Result<u32, AxError> {
        match of {
            Part::App(pid) => Ok(*pid),
            Part::Window(_) | Part::Close(_) | Part::Zoom(_) => Ok(300),
        }
    }

    fn frontmost(&self) -> Option<u32> {
        self.frontmost
    }

    fn program(&self, pid: u32) -> Option<Program> {
        let bundle = (pid == 501).then(|| "com.apple.TextEdit".to_owned());
        (pid != 503)
            .then(|| Program { name: bundle.clone().map(|_| "TextEdit".to_owned()), bundle })
    }
}

pub(super) const LETTER: Rect = Rect::new(100, 60, 600, 400);
const PAGE: Rect = Rect::new(50, 37, 1200, 800);

/// TextEdit with a letter in front, one minimized note and a tooltip; Safari with a page behind; a game that
/// shows nothing through accessibility; the menu bar.
pub(super) fn recorded() -> Recorded {
    let hidden = |pane: Pane| Pane { on_screen: false, ..pane };
    let titled = |pane: Pane, title: &str| Pane { title: Some(title.to_owned()), ..pane };
    let system = Recorded::default();
    *system.panes.lock().unwrap() = vec![
        pane(91, 24, 88, "Window Server", Rect::new(0, 0, 1440, 25)),
        pane(15, 0, 501, "TextEdit", Rect::new(300, 300, 80, 20)),
        pane(11, 0, 501, "TextEdit", LETTER),
        titled(pane(12, 0, 502, "Safari", PAGE), "from the list"),
        titled(pane(14, 0, 503, "Game", Rect::new(0, 0, 640, 480)), "Game"),
        hidden(pane(13, 0, 501, "TextEdit", Rect::new(10, 10, 300, 200))),
        hidden(pane(19, 0, 502, "Safari", Rect::new(0, 0, 500, 500))),
    ];
    let note = (13, "note.txt", Rect::new(10, 10, 300, 200), true);
    system.program(501, &[(11, "letter.txt", LETTER, false), note, (0, "?", LETTER, false)]);
    system.program(502, &[(12, "", PAGE, false)]);
    system.program(503, &[]);
    system.give(Part::App(501), "AXFrontmost", Value::Flag(true));
    system.give(Part::App(501), "AXFocusedWindow", Value::Element(Part::Window(11)));
    system
}
