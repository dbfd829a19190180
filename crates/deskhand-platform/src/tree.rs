//! Apps through their accessibility trees: read, act, listen.

use std::time::Duration;

use deskhand_model::{App, AppId, Event, EventKind, Node, NodeId, Snapshot};

use crate::{Deadline, Extent, Facets, Result};

/// Reads apps through their accessibility trees, and acts on them.
pub trait Tree: Send + Sync {
    /// Every app that shows a tree, sorted by name; one that does not answer is listed as such.
    fn apps(&self, by: Deadline) -> Result<Vec<App>>;

    /// The apps of some processes, without their `bundle_id`; no other app is asked anything.
    fn apps_of(&self, pids: &[u32], by: Deadline) -> Result<Vec<App>>;

    /// Whether an app may be looked into at all.
    ///
    /// # Errors
    ///
    /// `AppBlocked` when policy keeps everybody from it.
    fn admit(&self, app: &App, by: Deadline) -> Result<()>;

    /// The program an element lives in: apps show elements of others within their own.
    fn host(&self, of: &NodeId) -> AppId;

    /// The process of a program.
    fn process_of(&self, app: &AppId, by: Deadline) -> Result<u32>;

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

    /// The password fields of an app, found with as few questions as the platform allows.
    fn passwords(&self, app: &App, by: Deadline) -> Result<Passwords>;

    /// Every raw fact the platform has about one element, as name and printed value.
    fn attributes(&self, app: &App, id: &NodeId, by: Deadline) -> Result<Vec<(String, String)>>;

    /// The text an element holds, whole, and where its caret stands, in characters; `None` when it
    /// holds no text. Of a secret only the length is told.
    fn text(&self, app: &App, id: &NodeId, by: Deadline) -> Result<Option<Text>>;

    /// The items an element says are selected in it; `None` when it keeps no selection.
    fn selected(&self, app: &App, id: &NodeId, by: Deadline) -> Result<Option<Vec<NodeId>>>;

    /// Does one thing to an element. The reply is what the app said, which is no proof of anything:
    /// apps say yes and do nothing, or answer only when the dialog they opened is closed.
    ///
    /// # Errors
    ///
    /// `Unsupported` when the element has no such ability: nothing was sent then.
    fn perform(&self, app: &App, on: &NodeId, act: &Act, by: Deadline) -> Result<Reply>;

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

/// The password fields an app has.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passwords {
    /// Those found.
    pub fields: Vec<NodeId>,
    /// Why there may be others.
    pub missed: Option<Missed>,
}

/// Why a search may not have seen everything.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Missed {
    /// The app shows its windows without their content.
    Off,
    /// The app did not answer in time.
    Late,
    /// The app has more elements than are searched.
    Large,
}

/// A text with its caret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Text {
    /// All of it; empty when it is a secret.
    pub text: String,
    /// Characters before the caret; `None` when there is no caret.
    pub caret: Option<usize>,
    /// What is selected, from the first character to just behind the last.
    pub selected: Option<(usize, usize)>,
    /// How many characters there are.
    pub length: usize,
    /// Whether it is a secret: then the text is left out.
    pub secret: bool,
}

/// Something done to an element through accessibility.
#[derive(Debug, Clone, PartialEq)]
pub enum Act {
    /// One of its own named actions.
    Do(String),
    /// Give it the keyboard focus within its window; some toolkits bring the window forward for it.
    Focus,
    /// The same, only where the window stays where it is.
    FocusQuietly,
    /// Replace its whole text.
    SetText(String),
    /// Put text where its caret is, in place of what is selected.
    Insert(String),
    /// Move its caret: this many characters from the beginning.
    SetCaret(usize),
    /// Set its number.
    SetNumber(f64),
    /// Select it in the container it stands in, beside what is selected there.
    Select,
    /// Select it in the container it stands in, and nothing else.
    SelectOnly,
    /// Take it out of the selection of its container.
    Deselect,
    /// Select the item of this number in it, beside what is selected where it holds several.
    SelectItem(usize),
    /// Take everything in it out of its selection.
    SelectNone,
    /// Scroll until it can be seen.
    Reveal,
}

/// What an app said to an act.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reply {
    /// It says it did it.
    Accepted,
    /// It says it did not.
    Declined,
    /// It has not answered yet; it may still do it, or be doing it.
    Unanswered,
}
