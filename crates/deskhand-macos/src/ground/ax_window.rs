//! Windows as elements of their programs, and what the workspace knows about programs.

use deskhand_platform::Deadline;
use objc2::rc::autoreleasepool;
use objc2_app_kit::{NSRunningApplication, NSWorkspace};

use super::{ax::Element, text, window_list::WindowServer};
use crate::{
    tree::{Fault, Value},
    window::{Elements, Program},
};

impl Elements for WindowServer {
    type Element = Element;

    fn application(&self, pid: u32) -> Option<Element> {
        Element::application(pid)
    }

    fn system_wide(&self) -> Element {
        Element::system_wide()
    }

    fn get(&self, of: &Element, name: &str, by: Deadline) -> Result<Value<Element>, Fault> {
        of.get(name, by)
    }

    fn get_all(
        &self,
        of: &Element,
        names: &[&str],
        by: Deadline,
    ) -> Result<Vec<Value<Element>>, Fault> {
        of.get_all(names, by)
    }

    fn actions(&self, of: &Element, by: Deadline) -> Result<Vec<String>, Fault> {
        of.actions(by)
    }

    fn perform(&self, on: &Element, action: &str, by: Deadline) -> Result<(), Fault> {
        on.perform(action, by)
    }

    fn set(
        &self,
        on: &Element,
        name: &str,
        to: &Value<Element>,
        by: Deadline,
    ) -> Result<(), Fault> {
        on.set(name, to, by)
    }

    fn number(&self, of: &Element, by: Deadline) -> Result<u32, Fault> {
        of.window_number(by)
    }

    fn at(&self, x: f64, y: f64, by: Deadline) -> Result<Element, Fault> {
        Element::system_wide().at(x, y, by)
    }

    fn pid(&self, of: &Element) -> Result<u32, Fault> {
        of.pid()
    }

    fn frontmost(&self) -> Option<u32> {
        autoreleasepool(|_| {
            let front = NSWorkspace::sharedWorkspace().frontmostApplication()?;
            u32::try_from(front.processIdentifier()).ok()
        })
    }

    fn program(&self, pid: u32) -> Option<Program> {
        let pid = i32::try_from(pid).ok()?;
        autoreleasepool(|_| {
            let app = NSRunningApplication::runningApplicationWithProcessIdentifier(pid)?;
            Some(Program {
                name: app.localizedName().as_deref().map(text::copy),
                bundle: app.bundleIdentifier().as_deref().map(text::copy),
            })
        })
    }
}
