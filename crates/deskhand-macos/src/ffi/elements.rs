//! Messages to elements. The calling threads live long, so each message has its own autorelease pool.

use deskhand_platform::Deadline;
use objc2::rc::autoreleasepool;

use super::ax::AxElement;
use crate::tree::{AxElements, AxResult, Value};

/// A part of the system that sends messages to elements.
pub(super) trait SystemElements: Send + Sync + 'static {}

impl<S: SystemElements> AxElements for S {
    type Element = AxElement;

    fn app_element(&self, pid: u32) -> Option<AxElement> {
        AxElement::app(pid)
    }

    fn pid_of(&self, element: &AxElement) -> AxResult<u32> {
        element.pid()
    }

    fn attribute(
        &self,
        element: &AxElement,
        name: &str,
        deadline: Deadline,
    ) -> AxResult<Value<AxElement>> {
        autoreleasepool(|_| element.attribute(name, deadline))
    }

    fn attributes(
        &self,
        element: &AxElement,
        names: &[&str],
        deadline: Deadline,
    ) -> AxResult<Vec<Value<AxElement>>> {
        autoreleasepool(|_| element.attributes(names, deadline))
    }

    fn action_names(&self, element: &AxElement, deadline: Deadline) -> AxResult<Vec<String>> {
        autoreleasepool(|_| element.action_names(deadline))
    }

    fn perform_action(
        &self,
        element: &AxElement,
        action: &str,
        deadline: Deadline,
    ) -> AxResult<()> {
        autoreleasepool(|_| element.perform_action(action, deadline))
    }

    fn set_attribute(
        &self,
        element: &AxElement,
        name: &str,
        value: &Value<AxElement>,
        deadline: Deadline,
    ) -> AxResult<()> {
        autoreleasepool(|_| element.set_attribute(name, value, deadline))
    }
}
