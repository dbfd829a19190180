//! The parts of the macOS accessibility API that the tree and the windows use, as traits that tests can fake.

use std::{fmt::Debug, hash::Hash, time::Duration};

use deskhand_platform::Deadline;

use super::{AxError, Value};

/// The result of one accessibility call.
pub(crate) type AxResult<T> = std::result::Result<T, AxError>;

/// Reads, changes and sends messages to elements.
pub(crate) trait AxElements: Send + Sync + 'static {
    /// A handle to an element. Handles to the same element are equal.
    type Element: Clone + Eq + Hash + Debug + Send + Sync + 'static;

    /// The root element of a process.
    fn app_element(&self, pid: u32) -> Option<Self::Element>;

    /// The process that an element belongs to.
    fn pid_of(&self, element: &Self::Element) -> AxResult<u32>;

    /// The value of an attribute.
    fn attribute(
        &self,
        element: &Self::Element,
        name: &str,
        deadline: Deadline,
    ) -> AxResult<Value<Self::Element>>;

    /// The values of several attributes in one message. A missing value is a `Value::Error`.
    fn attributes(
        &self,
        element: &Self::Element,
        names: &[&str],
        deadline: Deadline,
    ) -> AxResult<Vec<Value<Self::Element>>>;

    /// The names of an element's actions.
    fn action_names(&self, element: &Self::Element, deadline: Deadline) -> AxResult<Vec<String>>;

    /// Performs an action of an element.
    fn perform_action(
        &self,
        element: &Self::Element,
        action: &str,
        deadline: Deadline,
    ) -> AxResult<()>;

    /// Sets an attribute.
    fn set_attribute(
        &self,
        element: &Self::Element,
        name: &str,
        value: &Value<Self::Element>,
        deadline: Deadline,
    ) -> AxResult<()>;
}

/// The accessibility API and the list of running processes.
pub(crate) trait AxApi: AxElements {
    /// Receives notifications from apps.
    type Observer: Observer<Self::Element> + 'static;

    /// Returns `true` if this process has the Accessibility permission.
    fn is_trusted(&self) -> bool;

    /// The program that the user must allow in System Settings to give this process the permission.
    fn program_to_allow(&self) -> String;

    /// The pids of all processes.
    fn list_pids(&self) -> Vec<u32>;

    /// The app of a process, or `None` for services and command-line tools.
    fn running_app(&self, pid: u32) -> Option<RunningApp>;

    /// The start time of a process in microseconds since 1970, or 0 if there is no such process.
    fn start_time(&self, pid: u32) -> u64;

    /// A hash that is the same for equal elements, in this process and in others.
    fn element_hash(&self, element: &Self::Element) -> u64;

    /// The number of values in a list attribute.
    fn value_count(
        &self,
        element: &Self::Element,
        name: &str,
        deadline: Deadline,
    ) -> AxResult<usize>;

    /// At most `limit` values of a list attribute, beginning at index `first`.
    fn values(
        &self,
        element: &Self::Element,
        name: &str,
        first: usize,
        limit: usize,
        deadline: Deadline,
    ) -> AxResult<Vec<Value<Self::Element>>>;

    /// The value of an attribute that takes a parameter.
    fn parameterized_attribute(
        &self,
        element: &Self::Element,
        name: &str,
        parameter: &Value<Self::Element>,
        deadline: Deadline,
    ) -> AxResult<Value<Self::Element>>;

    /// The names of an element's attributes.
    fn attribute_names(&self, element: &Self::Element, deadline: Deadline)
    -> AxResult<Vec<String>>;

    /// The names of an element's attributes that take a parameter.
    fn parameterized_attribute_names(
        &self,
        element: &Self::Element,
        deadline: Deadline,
    ) -> AxResult<Vec<String>>;

    /// Returns `true` if an attribute can be set.
    fn is_settable(
        &self,
        element: &Self::Element,
        name: &str,
        deadline: Deadline,
    ) -> AxResult<bool>;

    /// Creates an observer for notifications with these names. It watches no app yet.
    fn observe(&self, names: &[&'static str]) -> AxResult<Self::Observer>;
}

/// Receives notifications from apps. Dropping it ends the subscription.
pub(crate) trait Observer<E>: Send {
    /// Subscribes to the notifications of one more app.
    fn add(&mut self, pid: u32, deadline: Deadline) -> AxResult<()>;

    /// Subscribes to a notification that apps post for single elements only.
    fn add_element(&mut self, element: &E, name: &'static str, deadline: Deadline) -> AxResult<()>;

    /// Returns the next notification, or `None` if none arrives within `wait`.
    fn next(&mut self, wait: Duration) -> AxResult<Option<Notification<E>>>;
}

/// A notification posted by an app.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Notification<E> {
    /// The process that posted it.
    pub(crate) pid: u32,
    /// The element it is about.
    pub(crate) element: E,
    /// Its name, such as `AXValueChanged`.
    pub(crate) name: String,
}

/// A running app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct RunningApp {
    /// The name that macOS displays.
    pub(crate) name: String,
    /// The bundle identifier.
    pub(crate) bundle_id: Option<String>,
    /// The path of the executable.
    pub(crate) executable: Option<String>,
    /// Its place in the Dock and menu bar.
    pub(crate) activation_policy: ActivationPolicy,
    /// The names of the frameworks in its bundle.
    pub(crate) frameworks: Vec<String>,
}

/// The equivalent of `NSApplicationActivationPolicy`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ActivationPolicy {
    /// The app is in the Dock and has a menu bar.
    Regular,
    /// The app is not in the Dock. It may have windows or a status item in the menu bar.
    Accessory,
    /// The app has no user interface.
    Prohibited,
}
