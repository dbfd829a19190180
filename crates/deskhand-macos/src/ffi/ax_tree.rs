//! The accessibility API for the tree. The calling threads live long, so each message has its own autorelease pool.

use deskhand_platform::{Deadline, Tree};
use objc2::rc::autoreleasepool;
use objc2_application_services::AXIsProcessTrusted;

use super::{ax::AxElement, elements::SystemElements, observer::AxObservers, permission, running};
use crate::tree::{AxApi, AxResult, MacTree, RunningApp, Value};

/// The accessibility trees of all apps. Sends no message yet.
pub(crate) fn tree() -> Box<dyn Tree> {
    Box::new(MacTree::new(SystemAx))
}

/// The accessibility API of macOS.
struct SystemAx;

impl SystemElements for SystemAx {}

impl AxApi for SystemAx {
    type Observer = AxObservers;

    fn is_trusted(&self) -> bool {
        // SAFETY: reads a flag of this process; no arguments, no objects.
        unsafe { AXIsProcessTrusted() }
    }

    fn program_to_allow(&self) -> String {
        permission::this_program()
    }

    fn list_pids(&self) -> Vec<u32> {
        running::list_pids()
    }

    fn running_app(&self, pid: u32) -> Option<RunningApp> {
        running::running_app(pid)
    }

    fn start_time(&self, pid: u32) -> u64 {
        running::start_time(pid)
    }

    fn element_hash(&self, element: &AxElement) -> u64 {
        element.element_hash()
    }

    fn value_count(&self, element: &AxElement, name: &str, deadline: Deadline) -> AxResult<usize> {
        autoreleasepool(|_| element.value_count(name, deadline))
    }

    fn values(
        &self,
        element: &AxElement,
        name: &str,
        first: usize,
        limit: usize,
        deadline: Deadline,
    ) -> AxResult<Vec<Value<AxElement>>> {
        autoreleasepool(|_| element.values(name, first, limit, deadline))
    }

    fn parameterized_attribute(
        &self,
        element: &AxElement,
        name: &str,
        parameter: &Value<AxElement>,
        deadline: Deadline,
    ) -> AxResult<Value<AxElement>> {
        autoreleasepool(|_| element.parameterized_attribute(name, parameter, deadline))
    }

    fn attribute_names(&self, element: &AxElement, deadline: Deadline) -> AxResult<Vec<String>> {
        autoreleasepool(|_| element.attribute_names(deadline))
    }

    fn parameterized_attribute_names(
        &self,
        element: &AxElement,
        deadline: Deadline,
    ) -> AxResult<Vec<String>> {
        autoreleasepool(|_| element.parameterized_attribute_names(deadline))
    }

    fn is_settable(&self, element: &AxElement, name: &str, deadline: Deadline) -> AxResult<bool> {
        autoreleasepool(|_| element.is_settable(name, deadline))
    }

    fn observe(&self, names: &[&'static str]) -> AxResult<AxObservers> {
        AxObservers::new(names)
    }
}
