//! What the tree needs of the system: elements of other programs, and the programs themselves.

use std::{fmt::Debug, hash::Hash, time::Duration};

use deskhand_platform::Deadline;

use super::{Fault, Value};

/// An answer of the accessibility interface.
pub(crate) type Answer<T> = std::result::Result<T, Fault>;

/// The accessibility interface of the system, and the list of what runs.
pub(crate) trait Ax: Send + Sync {
    /// A handle of an element; handles of the same element are equal.
    type Element: Clone + Eq + Hash + Debug + Send + Sync;
    /// What listens to programs.
    type Ear: Ear<Self::Element> + 'static;

    /// Whether this program may look into others.
    fn is_trusted(&self) -> bool;

    /// The program a person has to allow it to.
    fn who(&self) -> String;

    /// The numbers of all processes.
    fn pids(&self) -> Vec<u32>;

    /// A process as a program a person can meet; `None` for services and tools.
    fn program(&self, pid: u32) -> Option<Program>;

    /// When a process started, in microseconds since 1970; 0 when there is no such process.
    fn started(&self, pid: u32) -> u64;

    /// The root element of a process.
    fn application(&self, pid: u32) -> Option<Self::Element>;

    /// The process an element belongs to.
    fn pid(&self, of: &Self::Element) -> Answer<u32>;

    /// A number that is the same for equal elements, in this process and in others.
    fn mark(&self, of: &Self::Element) -> u64;

    /// The value of an attribute.
    fn get(&self, of: &Self::Element, name: &str, by: Deadline) -> Answer<Value<Self::Element>>;

    /// The values of several attributes at once, each or the fault in its place.
    fn get_all(
        &self,
        of: &Self::Element,
        names: &[&str],
        by: Deadline,
    ) -> Answer<Vec<Value<Self::Element>>>;

    /// How many values an attribute with a list has.
    fn count(&self, of: &Self::Element, name: &str, by: Deadline) -> Answer<usize>;

    /// Some of the values of an attribute with a list.
    fn page(
        &self,
        of: &Self::Element,
        name: &str,
        first: usize,
        most: usize,
        by: Deadline,
    ) -> Answer<Vec<Value<Self::Element>>>;

    /// The value of an attribute that takes a parameter.
    fn ask(
        &self,
        of: &Self::Element,
        name: &str,
        parameter: &Value<Self::Element>,
        by: Deadline,
    ) -> Answer<Value<Self::Element>>;

    /// The names of the attributes of an element.
    fn names(&self, of: &Self::Element, by: Deadline) -> Answer<Vec<String>>;

    /// The names of the attributes of an element that take a parameter.
    fn parameterized(&self, of: &Self::Element, by: Deadline) -> Answer<Vec<String>>;

    /// The names of the actions of an element.
    fn actions(&self, of: &Self::Element, by: Deadline) -> Answer<Vec<String>>;

    /// Does one of the actions of an element.
    fn perform(&self, on: &Self::Element, action: &str, by: Deadline) -> Answer<()>;

    /// Gives an attribute another value.
    fn set(
        &self,
        on: &Self::Element,
        name: &str,
        to: &Value<Self::Element>,
        by: Deadline,
    ) -> Answer<()>;

    /// Whether an attribute may be given another value.
    fn is_settable(&self, on: &Self::Element, name: &str, by: Deadline) -> Answer<bool>;

    /// Starts to listen for notifications of these names; programs are added to it.
    fn listen(&self, names: &[&'static str]) -> Answer<Self::Ear>;
}

/// Something that listens to programs; dropping it ends that.
pub(crate) trait Ear<E>: Send {
    /// Listens to one more program.
    fn add(&mut self, pid: u32, by: Deadline) -> Answer<()>;

    /// Listens to one element for a notification that apps send of single elements only.
    fn follow(&mut self, element: &E, name: &'static str, by: Deadline) -> Answer<()>;

    /// The next notification, or `None` when the time passed without one.
    fn next(&mut self, wait: Duration) -> Answer<Option<Heard<E>>>;
}

/// One notification.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Heard<E> {
    /// From which process.
    pub(crate) pid: u32,
    /// About which element.
    pub(crate) element: E,
    /// The name of the notification.
    pub(crate) name: String,
}

/// A running program that a person can meet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Program {
    /// The name the system shows for it.
    pub(crate) name: String,
    /// The identifier of its bundle.
    pub(crate) bundle_id: Option<String>,
    /// The file it runs.
    pub(crate) executable: Option<String>,
    /// How it shows itself.
    pub(crate) presence: Presence,
    /// The names of the frameworks its bundle brings along.
    pub(crate) frameworks: Vec<String>,
}

/// How a program shows itself to a person.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Presence {
    /// In the Dock, with a menu bar.
    Regular,
    /// Without a place in the Dock; it may have windows or an item in the menu bar.
    Accessory,
    /// Not at all.
    None,
}
