//! The accessibility API for windows.

use deskhand_platform::Deadline;
use objc2::rc::autoreleasepool;
use objc2_app_kit::{NSRunningApplication, NSWorkspace};

use super::{ax::AxElement, elements::SystemElements, text, window_list::WindowServer};
use crate::{
    tree::AxResult,
    window::{AppNames, WindowAxApi},
};

impl SystemElements for WindowServer {}

impl WindowAxApi for WindowServer {
    fn system_wide(&self) -> AxElement {
        AxElement::system_wide()
    }

    fn window_number(&self, element: &AxElement, deadline: Deadline) -> AxResult<u32> {
        element.window_number(deadline)
    }

    fn element_at(&self, x: f64, y: f64, deadline: Deadline) -> AxResult<AxElement> {
        AxElement::system_wide().element_at(x, y, deadline)
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
