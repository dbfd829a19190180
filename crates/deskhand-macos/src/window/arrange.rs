//! Changes to a window, asked of its program through accessibility.

use std::{
    collections::HashMap,
    sync::{Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use deskhand_model::Rect;
use deskhand_platform::{Arrange, Asked, Deadline, Error, Result};

use super::{
    elements::Elements,
    pane::Panes,
    state::{self, Facts, Found},
};
use crate::{
    screen::{Area, Displays, listed},
    tree::{AxError, Value},
};

/// Where windows were before they filled the work area; macOS does not keep it for those we place.
pub(super) type Before = Mutex<HashMap<u32, Rect>>;

/// How long a program may take to say that its close button was pressed. One that asks about unsaved work
/// says so only when that is answered; the button is pressed all the same.
const PRESSED: Duration = Duration::from_secs(1);

/// One window that is to be changed.
struct Job<'a, G: Elements> {
    ground: &'a G,
    before: &'a Before,
    found: Found<G::Element>,
    facts: Facts<G::Element>,
    by: Deadline,
}

/// Asks for a change to a window.
pub(super) fn arrange<G: Elements + Panes + Displays>(
    ground: &G,
    before: &Before,
    window: u64,
    change: Arrange,
    by: Deadline,
) -> Result<Asked> {
    let found = state::find(ground, window, by)?;
    let facts = state::facts(ground, &found, by)?;
    let job = Job { ground, before, found, facts, by };
    match change {
        Arrange::Focus => job.focus()?,
        Arrange::MoveTo(x, y) => job.place("moving it", "AXPosition", point(x, y))?,
        Arrange::Resize(width, height) => {
            job.place("resizing it", "AXSize", Value::Size(width.into(), height.into()))?;
        }
        Arrange::Minimize => job.set("minimizing it", "AXMinimized", true)?,
        Arrange::Restore => job.restore()?,
        Arrange::Maximize(on) => job.maximize(on)?,
        Arrange::FullScreen(on) => job.full_screen(on)?,
        Arrange::Close => job.close()?,
    }
    Ok(Asked::Program)
}

fn point<E>(x: i32, y: i32) -> Value<E> {
    Value::Point(x.into(), y.into())
}

impl<G: Elements + Panes + Displays> Job<'_, G> {
    fn focus(&self) -> Result<()> {
        let Found { app, told, element, .. } = &self.found;
        let what = "giving it the keyboard";
        let mut begun = false;
        for (is, of, name) in
            [(told.hidden, app, "AXHidden"), (self.facts.minimized, element, "AXMinimized")]
        {
            if is {
                let shown = self.ground.set(of, name, &Value::Flag(false), self.by);
                self.part(begun, what, shown)?;
                begun = true;
            }
        }
        let raised = self.ground.perform(element, "AXRaise", self.by);
        let main = self.ground.set(element, "AXMain", &Value::Flag(true), self.by);
        // Panels can be raised and not made main; whichever works is enough.
        if let (Err(first), Err(_)) = (raised, main) {
            return self.part(begun, what, Err(first));
        }
        // Only the app in front has the keyboard.
        self.sent(self.ground.set(app, "AXFrontmost", &Value::Flag(true), self.by))
    }

    fn restore(&self) -> Result<()> {
        if self.facts.minimized {
            return self.set("restoring it", "AXMinimized", false);
        }
        if self.facts.full_screen == Some(true) {
            return self.full_screen(false);
        }
        if self.found.told.hidden {
            let shown = self.ground.set(&self.found.app, "AXHidden", &Value::Flag(false), self.by);
            return shown.map_err(|fault| self.refused("showing its app", fault));
        }
        self.maximize(false)
    }

    fn maximize(&self, on: bool) -> Result<()> {
        let what = if on { "filling the work area" } else { "making it as large as before" };
        if self.facts.full_screen == Some(true) {
            return Err(unsupported(what, "it fills a screen of its own; restore it first"));
        }
        let area = state::work_area(self.facts.frame, &listed(self.ground)?);
        let area = area.ok_or_else(|| unsupported(what, "there is no display"))?;
        if state::fills(self.facts.frame, area) == on {
            return Ok(());
        }
        let number = self.found.pane.number;
        if on {
            self.put(what, area)?;
            self.memory().insert(number, self.facts.frame);
            return Ok(());
        }
        let before = self.memory().remove(&number);
        match before {
            Some(before) => self.put(what, before),
            None => self.zoom(what),
        }
    }

    /// Lets the window's own button take back what it or a person did.
    fn zoom(&self, what: &'static str) -> Result<()> {
        let unknown = || unsupported(what, "nobody knows how large it was; resize it instead");
        let button = self.facts.zoom.as_ref().ok_or_else(unknown)?;
        let actions = self.ground.actions(button, self.by);
        let actions = actions.map_err(|fault| self.refused(what, fault))?;
        // Pressing the green button fills a screen of its own; zooming is another action of it.
        if !actions.iter().any(|action| action == "AXZoomWindow") {
            return Err(unknown());
        }
        let zoomed = self.ground.perform(button, "AXZoomWindow", self.by);
        zoomed.map_err(|fault| self.refused(what, fault))
    }

    fn full_screen(&self, on: bool) -> Result<()> {
        if self.facts.full_screen.is_none() {
            return Err(unsupported("filling the screen", "its program does not let it"));
        }
        self.set("filling the screen", "AXFullScreen", on)
    }

    fn close(&self) -> Result<()> {
        let what = "closing the window politely";
        let Some(button) = &self.facts.close else {
            return Err(unsupported(what, "it has no close button"));
        };
        let by = self.by.or_after(PRESSED);
        match self.ground.perform(button, "AXPress", by) {
            Ok(()) | Err(AxError::CannotComplete) => Ok(()),
            Err(fault) => Err(self.refused(what, fault)),
        }
    }

    /// Moves a window and makes it as large as a place.
    fn put(&self, what: &'static str, to: Rect) -> Result<()> {
        let Area { width, height, .. } = to.into();
        self.place(what, "AXPosition", point(to.x, to.y))?;
        self.sent(self.ground.set(
            &self.found.element,
            "AXSize",
            &Value::Size(width, height),
            self.by,
        ))
    }

    fn set(&self, what: &'static str, name: &str, on: bool) -> Result<()> {
        self.place(what, name, Value::Flag(on))
    }

    fn place(&self, what: &'static str, name: &str, to: Value<G::Element>) -> Result<()> {
        let set = self.ground.set(&self.found.element, name, &to, self.by);
        set.map_err(|fault| self.refused(what, fault))
    }

    fn memory(&self) -> MutexGuard<'_, HashMap<u32, Rect>> {
        self.before.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The error for the first thing a program refuses: nothing was done.
    fn refused(&self, what: &'static str, fault: AxError) -> Error {
        if fault.is_absence() {
            return unsupported(what, "its program does not let others do it");
        }
        if fault == AxError::InvalidElement {
            return state::gone(self.found.pane.number.into());
        }
        fault.error(&state::owner(&self.found.pane))
    }

    /// The error for one of several things, by whether one was done before it.
    fn part(
        &self,
        begun: bool,
        what: &'static str,
        done: std::result::Result<(), AxError>,
    ) -> Result<()> {
        if begun { self.sent(done) } else { done.map_err(|fault| self.refused(what, fault)) }
    }

    /// The error for a later thing: something was done already.
    fn sent(&self, done: std::result::Result<(), AxError>) -> Result<()> {
        done.map_err(|fault| {
            let what = state::owner(&self.found.pane);
            if fault.is_absence() {
                let why = format!(
                    "it did one part of what was asked and refused the next: {}",
                    fault.word()
                );
                return Error::Unexpected { what, why };
            }
            fault.error(&what)
        })
    }
}

fn unsupported(what: &str, why: &str) -> Error {
    Error::Unsupported { what: what.to_owned(), why: why.to_owned() }
}
