//! Moves, resizes, focuses and closes windows through accessibility.

use std::collections::HashMap;

use deskhand_model::Rect;
use deskhand_platform::{Deadline, Error, RequestRecipient, Result, WindowChange};
use parking_lot::Mutex;

use super::{
    ax_window::WindowAxApi,
    state::{self, LocatedWindow, WindowAttributes},
    window_info::WindowListApi,
};
use crate::{
    screen::{Area, Displays, list_displays},
    timing::CLOSE_REPLY_TIMEOUT,
    tree::{AxError, AxResult, Value},
};

/// The frames of windows before they were maximized, by window number. macOS does not remember them for
/// windows that a program resized.
pub(super) type RestoreFrames = Mutex<HashMap<u32, Rect>>;

/// A window that is being changed.
struct WindowArranger<'a, S: WindowAxApi> {
    system: &'a S,
    restore_frames: &'a RestoreFrames,
    found: LocatedWindow<S::Element>,
    attributes: WindowAttributes<S::Element>,
    deadline: Deadline,
}

/// Changes a window.
pub(super) fn arrange<S: WindowAxApi + WindowListApi + Displays>(
    system: &S,
    restore_frames: &RestoreFrames,
    window: u64,
    change: WindowChange,
    deadline: Deadline,
) -> Result<RequestRecipient> {
    let found = state::find(system, window, deadline)?;
    let attributes = state::read_attributes(system, &found, deadline)?;
    let arranger = WindowArranger { system, restore_frames, found, attributes, deadline };
    match change {
        WindowChange::Focus => arranger.focus()?,
        WindowChange::MoveTo(x, y) => {
            arranger.set_attribute("moving it", "AXPosition", point(x, y))?
        }
        WindowChange::Resize(width, height) => {
            arranger.set_attribute(
                "resizing it",
                "AXSize",
                Value::Size(width.into(), height.into()),
            )?;
        }
        WindowChange::Minimize => arranger.set_flag("minimizing it", "AXMinimized", true)?,
        WindowChange::Restore => arranger.restore()?,
        WindowChange::Maximize(on) => arranger.maximize(on)?,
        WindowChange::FullScreen(on) => arranger.full_screen(on)?,
        WindowChange::Close => arranger.close()?,
    }
    Ok(RequestRecipient::Program)
}

fn point<E>(x: i32, y: i32) -> Value<E> {
    Value::Point(x.into(), y.into())
}

impl<S: WindowAxApi + WindowListApi + Displays> WindowArranger<'_, S> {
    fn focus(&self) -> Result<()> {
        let LocatedWindow { app, app_windows, element, .. } = &self.found;
        let what = "focusing the window";
        let mut changed = false;
        for (is_set, target, name) in [
            (app_windows.hidden, app, "AXHidden"),
            (self.attributes.minimized, element, "AXMinimized"),
        ] {
            if is_set {
                let shown =
                    self.system.set_attribute(target, name, &Value::Flag(false), self.deadline);
                self.check_step(changed, what, shown)?;
                changed = true;
            }
        }
        let raised = self.system.perform_action(element, "AXRaise", self.deadline);
        let main = self.system.set_attribute(element, "AXMain", &Value::Flag(true), self.deadline);
        // A panel can be raised but not made main, so one of the two is enough.
        if let (Err(first), Err(_)) = (raised, main) {
            return self.check_step(changed, what, Err(first));
        }
        // Only the frontmost app has the keyboard.
        self.check_later_step(self.system.set_attribute(
            app,
            "AXFrontmost",
            &Value::Flag(true),
            self.deadline,
        ))
    }

    fn restore(&self) -> Result<()> {
        if self.attributes.minimized {
            return self.set_flag("restoring the window", "AXMinimized", false);
        }
        if self.attributes.full_screen == Some(true) {
            return self.full_screen(false);
        }
        if self.found.app_windows.hidden {
            let shown = self.system.set_attribute(
                &self.found.app,
                "AXHidden",
                &Value::Flag(false),
                self.deadline,
            );
            return shown.map_err(|error| self.first_step_error("showing its app", error));
        }
        self.maximize(false)
    }

    fn maximize(&self, on: bool) -> Result<()> {
        let what = if on { "maximizing the window" } else { "restoring the window's size" };
        if self.attributes.full_screen == Some(true) {
            return Err(unsupported(what, "it is in full screen; leave full screen first"));
        }
        let area = state::work_area(self.attributes.frame, &list_displays(self.system)?);
        let area = area.ok_or_else(|| unsupported(what, "there is no display"))?;
        if state::fills(self.attributes.frame, area) == on {
            return Ok(());
        }
        let number = self.found.info.number;
        if on {
            self.move_and_resize(what, area)?;
            self.restore_frames.lock().insert(number, self.attributes.frame);
            return Ok(());
        }
        let before = self.restore_frames.lock().remove(&number);
        match before {
            Some(before) => self.move_and_resize(what, before),
            None => self.zoom(what),
        }
    }

    /// Zooms a window back that Deskhand did not maximize.
    fn zoom(&self, what: &'static str) -> Result<()> {
        let unknown = || unsupported(what, "its size before is unknown; resize it instead");
        let button = self.attributes.zoom_button.as_ref().ok_or_else(unknown)?;
        let actions = self.system.action_names(button, self.deadline);
        let actions = actions.map_err(|error| self.first_step_error(what, error))?;
        // Pressing the zoom button enters full screen; zooming is a separate action of it.
        if !actions.iter().any(|action| action == "AXZoomWindow") {
            return Err(unknown());
        }
        let zoomed = self.system.perform_action(button, "AXZoomWindow", self.deadline);
        zoomed.map_err(|error| self.first_step_error(what, error))
    }

    fn full_screen(&self, on: bool) -> Result<()> {
        if self.attributes.full_screen.is_none() {
            return Err(unsupported("changing full screen", "the window has no full screen mode"));
        }
        self.set_flag("changing full screen", "AXFullScreen", on)
    }

    fn close(&self) -> Result<()> {
        let what = "closing the window";
        let Some(button) = &self.attributes.close_button else {
            return Err(unsupported(what, "it has no close button"));
        };
        let deadline = self.deadline.at_most(CLOSE_REPLY_TIMEOUT);
        match self.system.perform_action(button, "AXPress", deadline) {
            Ok(()) | Err(AxError::CannotComplete) => Ok(()),
            Err(error) => Err(self.first_step_error(what, error)),
        }
    }

    /// Moves and resizes the window to a rectangle.
    fn move_and_resize(&self, what: &'static str, to: Rect) -> Result<()> {
        let Area { width, height, .. } = to.into();
        self.set_attribute(what, "AXPosition", point(to.x, to.y))?;
        let size = Value::Size(width, height);
        self.check_later_step(self.system.set_attribute(
            &self.found.element,
            "AXSize",
            &size,
            self.deadline,
        ))
    }

    fn set_flag(&self, what: &'static str, name: &str, on: bool) -> Result<()> {
        self.set_attribute(what, name, Value::Flag(on))
    }

    fn set_attribute(&self, what: &'static str, name: &str, to: Value<S::Element>) -> Result<()> {
        let set = self.system.set_attribute(&self.found.element, name, &to, self.deadline);
        set.map_err(|error| self.first_step_error(what, error))
    }

    /// The error of the first step. Nothing was changed.
    fn first_step_error(&self, what: &'static str, error: AxError) -> Error {
        if error.is_absent() {
            return unsupported(what, "its app does not allow it");
        }
        if error == AxError::InvalidElement {
            return state::gone(self.found.info.number.into());
        }
        error.into_platform_error(&state::owner_name(&self.found.info))
    }

    /// Checks one of several steps. `changed` says that an earlier step changed something.
    fn check_step(&self, changed: bool, what: &'static str, done: AxResult<()>) -> Result<()> {
        if changed {
            self.check_later_step(done)
        } else {
            done.map_err(|error| self.first_step_error(what, error))
        }
    }

    /// Checks a step after another one changed something.
    fn check_later_step(&self, done: AxResult<()>) -> Result<()> {
        done.map_err(|error| {
            let what = state::owner_name(&self.found.info);
            if error.is_absent() {
                let why = format!(
                    "the app did a part of the change and refused the rest: {}",
                    error.name()
                );
                return Error::Unexpected { what, why };
            }
            error.into_platform_error(&what)
        })
    }
}

fn unsupported(what: &str, why: &str) -> Error {
    Error::Unsupported { what: what.to_owned(), why: why.to_owned() }
}
