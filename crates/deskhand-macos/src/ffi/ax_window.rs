//! The accessibility API for windows.

use deskhand_platform::Deadline;
use objc2::rc::autoreleasepool;
use objc2_app_kit::{NSRunningApplication, NSWorkspace};

use super::{ax::AxElement, text, window_list::WindowServer};
use crate::{
    tree::{AxResult, Value},
    window::{AppNames, WindowAxApi},
};

impl WindowAxApi for WindowServer {
    type Element = AxElement;

    fn app_element(&self, pid: u32) -> Option<AxElement> {
        AxElement::app(pid)
    }

    fn system_wide(&self) -> AxElement {
        AxElement::system_wide()
    }

    fn attribute(
        &self,
        element: &AxElement,
        name: &str,
        deadline: Deadline,
    ) -> AxResult<Value<AxElement>> {
        element.attribute(name, deadline)
    }

    fn attributes(
        &self,
        element: &AxElement,
        names: &[&str],
        deadline: Deadline,
    ) -> AxResult<Vec<Value<AxElement>>> {
        element.attributes(names, deadline)
    }

    fn action_names(&self, element: &AxElement, deadline: Deadline) -> AxResult<Vec<String>> {
        element.action_names(deadline)
    }

    fn perform_action(
        &self,
        element: &AxElement,
        action: &str,
        deadline: Deadline,
    ) -> AxResult<()> {
        element.perform_action(action, deadline)
    }

    fn set_attribute(
        &self,
        element: &AxElement,
        name: &str,
        value: &Value<AxElement>,
        deadline: Deadline,
    ) -> AxResult<()> {
        element.set_attribute(name, value, deadline)
    }

    fn window_number(&self, element: &AxElement, deadline: Deadline) -> AxResult<u32> {
        element.window_number(deadline)
    }

    fn element_at(&self, x: f64, y: f64, deadline: Deadline) -> AxResult<AxElement> {
        AxElement::system_wide().element_at(x, y, deadline)
    }

    fn pid_of(&self, element: &AxElement) -> AxResult<u32> {
        element.pid()
    }

    fn frontmost_pid(&self) -> Option<u32> {
        autoreleasepool(|_| {
            let app = NSWorkspace::sharedWorkspace().frontmostApplication()?;
            u32::try_from(app.processIdentifier()).ok()
        })
    }

    fn app_names(&self, pid: u32) -> Option<AppNames> {
        let pid = i32::try_from(pid).ok()?;
        autoreleasepool(|_| {
            let app = NSRunningApplication::runningApplicationWithProcessIdentifier(pid)?;
            Some(AppNames {
                name: app.localizedName().as_deref().map(text::copy),
                bundle_id: app.bundleIdentifier().as_deref().map(text::copy),
            })
        })
    }
}
