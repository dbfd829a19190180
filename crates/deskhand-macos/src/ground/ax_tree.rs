//! The accessibility interface as the tree asks for it. The threads that ask live long, so each message
//! has a pool of its own for what the system leaves to be released later.

use deskhand_platform::{Deadline, Tree};
use objc2::rc::autoreleasepool;
use objc2_application_services::AXIsProcessTrusted;

use super::{ax::Element, observer::Observers, permission, running};
use crate::tree::{Answer, Ax, MacTree, Program, Value};

/// The apps of this session through accessibility; nothing is asked yet.
pub(crate) fn tree() -> Box<dyn Tree> {
    Box::new(MacTree::new(Session))
}

/// The session this process is in.
struct Session;

impl Ax for Session {
    type Element = Element;
    type Ear = Observers;

    fn is_trusted(&self) -> bool {
        // SAFETY: asks for a truth about this process; no argument, no object.
        unsafe { AXIsProcessTrusted() }
    }

    fn who(&self) -> String {
        permission::who()
    }

    fn pids(&self) -> Vec<u32> {
        running::pids()
    }

    fn program(&self, pid: u32) -> Option<Program> {
        running::program(pid)
    }

    fn started(&self, pid: u32) -> u64 {
        running::started(pid)
    }

    fn application(&self, pid: u32) -> Option<Element> {
        Element::application(pid)
    }

    fn pid(&self, of: &Element) -> Answer<u32> {
        of.pid()
    }

    fn mark(&self, of: &Element) -> u64 {
        of.mark()
    }

    fn get(&self, of: &Element, name: &str, by: Deadline) -> Answer<Value<Element>> {
        autoreleasepool(|_| of.get(name, by))
    }

    fn get_all(&self, of: &Element, names: &[&str], by: Deadline) -> Answer<Vec<Value<Element>>> {
        autoreleasepool(|_| of.get_all(names, by))
    }

    fn count(&self, of: &Element, name: &str, by: Deadline) -> Answer<usize> {
        autoreleasepool(|_| of.count(name, by))
    }

    fn page(
        &self,
        of: &Element,
        name: &str,
        first: usize,
        most: usize,
        by: Deadline,
    ) -> Answer<Vec<Value<Element>>> {
        autoreleasepool(|_| of.page(name, first, most, by))
    }

    fn ask(
        &self,
        of: &Element,
        name: &str,
        parameter: &Value<Element>,
        by: Deadline,
    ) -> Answer<Value<Element>> {
        autoreleasepool(|_| of.ask(name, parameter, by))
    }

    fn names(&self, of: &Element, by: Deadline) -> Answer<Vec<String>> {
        autoreleasepool(|_| of.names(by))
    }

    fn parameterized(&self, of: &Element, by: Deadline) -> Answer<Vec<String>> {
        autoreleasepool(|_| of.parameterized(by))
    }

    fn actions(&self, of: &Element, by: Deadline) -> Answer<Vec<String>> {
        autoreleasepool(|_| of.actions(by))
    }

    fn perform(&self, on: &Element, action: &str, by: Deadline) -> Answer<()> {
        autoreleasepool(|_| on.perform(action, by))
    }

    fn set(&self, on: &Element, name: &str, to: &Value<Element>, by: Deadline) -> Answer<()> {
        autoreleasepool(|_| on.set(name, to, by))
    }

    fn is_settable(&self, on: &Element, name: &str, by: Deadline) -> Answer<bool> {
        autoreleasepool(|_| on.is_settable(name, by))
    }

    fn listen(&self, names: &[&'static str]) -> Answer<Observers> {
        Observers::new(names)
    }
}
