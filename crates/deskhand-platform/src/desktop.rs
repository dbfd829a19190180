//! What an open desktop can do. A backend fills these traits; a part it cannot fill is absent.

use std::time::Duration;

use deskhand_model::{App, AppId, Event, EventKind, Node, NodeId, Rect, Snapshot, Window};

use crate::{Deadline, Extent, Facets, Result};

/// One open desktop. A part that is `None` does not exist on this host.
pub struct Desktop {
    /// The apps' trees.
    pub tree: Box<dyn Tree>,
    /// The windows as the window system sees them.
    pub windows: Option<Box<dyn Windows>>,
    /// The pixels.
    pub screen: Option<Box<dyn Screen>>,
}

/// Reads apps through their accessibility trees.
pub trait Tree: Send + Sync {
    /// Every app that shows a tree, sorted by name; one that does not answer is listed as such.
    fn apps(&self, by: Deadline) -> Result<Vec<App>>;

    /// Reads the subtree below an element in as few round trips as the platform allows; what was
    /// not read is marked where it is missing.
    fn walk(&self, app: &App, from: &NodeId, within: &Extent, by: Deadline) -> Result<Snapshot>;

    /// Reads some elements again, whole; `None` for each that no longer exists.
    fn read(
        &self,
        app: &App,
        ids: &[NodeId],
        what: Facets,
        by: Deadline,
    ) -> Result<Vec<Option<Node>>>;

    /// Every raw fact the platform has about one element, as name and printed value.
    fn attributes(&self, app: &App, id: &NodeId, by: Deadline) -> Result<Vec<(String, String)>>;

    /// Starts to report events of these kinds, of one app or of all.
    fn watch(
        &self,
        app: Option<&AppId>,
        kinds: &[EventKind],
        by: Deadline,
    ) -> Result<Box<dyn Events>>;
}

/// A running subscription; dropping it ends it.
pub trait Events: Send {
    /// The next event, or `None` when the time passed without one.
    fn next(&mut self, wait: Duration) -> Result<Option<Event>>;
}

/// Lists windows.
pub trait Windows: Send + Sync {
    /// Every top-level window, the frontmost first.
    fn list(&self, by: Deadline) -> Result<Vec<Window>>;
}

/// One monitor.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Display {
    /// Its connector or given name.
    pub name: String,
    /// Where it lies.
    pub frame: Rect,
    /// Whether it is the main one.
    pub main: bool,
}

/// Looks at pixels.
pub trait Screen: Send + Sync {
    /// The monitors, the main one first.
    fn displays(&self, by: Deadline) -> Result<Vec<Display>>;

    /// The colour at a point, as red, green and blue.
    fn pixel(&self, x: i32, y: i32, by: Deadline) -> Result<[u8; 3]>;
}
