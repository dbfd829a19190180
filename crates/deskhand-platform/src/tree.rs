//! The accessibility trees of apps: read, act, subscribe to events.

use std::time::Duration;

use deskhand_model::{App, AppId, Event, EventKind, Node, NodeId, Snapshot};

use crate::{Deadline, Error, NodeFields, Result, WalkOptions};

/// Reads apps through their accessibility trees, and acts on them.
pub trait Tree: Send + Sync {
    /// Lists every app that has an accessibility tree, sorted by name. An app that does not respond
    /// is listed with `responding: false`.
    fn apps(&self, deadline: Deadline) -> Result<Vec<App>>;

    /// Lists the apps of the given processes, without their `bundle_id`. Does not query other apps.
    fn apps_by_pid(&self, pids: &[u32], deadline: Deadline) -> Result<Vec<App>>;

    /// Checks that an app may be read.
    ///
    /// # Errors
    ///
    /// `Refused` if a guard hides the app; its windows are then painted over in images, too.
    fn check_access(&self, app: &App, deadline: Deadline) -> Result<()>;

    /// Returns the app that owns a node. It can differ from the app whose tree contains the node:
    /// apps embed nodes of other apps.
    fn owner_of(&self, node: &NodeId) -> AppId;

    /// Returns the process id of an app.
    fn pid_of(&self, app: &AppId, deadline: Deadline) -> Result<u32>;

    /// Reads the subtree below `root` in as few round trips as the platform allows. Every place
    /// where nodes were omitted is marked with a [`Cut`](deskhand_model::Cut).
    fn walk(
        &self,
        app: &App,
        root: &NodeId,
        options: &WalkOptions,
        deadline: Deadline,
    ) -> Result<Snapshot>;

    /// Reads the names of some children of a node, and nothing else of them. A long list is searched
    /// faster this way than by a walk. A spreadsheet counts the cells of its used area, column by
    /// column, and their texts are their names.
    ///
    /// # Errors
    ///
    /// `Unsupported` if the platform can only walk.
    fn child_names(
        &self,
        _app: &App,
        _parent: &NodeId,
        _part: ChildPart,
        _deadline: Deadline,
    ) -> Result<ChildNames> {
        Err(Error::Unsupported {
            what: "reading names alone".to_owned(),
            why: "this platform reads whole elements".to_owned(),
        })
    }

    /// Reads the given nodes again, without their children. A node that no longer exists is `None`.
    fn read(
        &self,
        app: &App,
        ids: &[NodeId],
        fields: NodeFields,
        deadline: Deadline,
    ) -> Result<Vec<Option<Node>>>;

    /// Finds the password fields of an app, with as few queries as the platform allows.
    fn password_fields(&self, app: &App, deadline: Deadline) -> Result<PasswordFields>;

    /// Returns every raw platform attribute of a node as name and printed value.
    fn attributes(
        &self,
        app: &App,
        id: &NodeId,
        deadline: Deadline,
    ) -> Result<Vec<(String, String)>>;

    /// Returns the whole text of a node and its caret; `None` if the node has no text. For a
    /// password field, only the length is returned.
    fn text(&self, app: &App, id: &NodeId, deadline: Deadline) -> Result<Option<TextContent>>;

    /// Returns the items a container reports as selected; `None` if it has no selection.
    fn selected_items(
        &self,
        app: &App,
        id: &NodeId,
        deadline: Deadline,
    ) -> Result<Option<Vec<NodeId>>>;

    /// Performs an action on a node. The reply does not prove an effect: apps accept actions and
    /// do nothing, or reply only after the dialog they opened is closed.
    ///
    /// # Errors
    ///
    /// `Unsupported` if the node does not offer the action; nothing was sent.
    fn perform(
        &self,
        app: &App,
        node: &NodeId,
        action: &NodeAction,
        deadline: Deadline,
    ) -> Result<ActionReply>;

    /// Subscribes to events of the given kinds, from one app or from all apps.
    fn watch(
        &self,
        app: Option<&AppId>,
        kinds: &[EventKind],
        deadline: Deadline,
    ) -> Result<Box<dyn EventStream>>;
}

/// An event subscription. Dropping it unsubscribes.
pub trait EventStream: Send {
    /// Waits for the next event; `None` if none arrives within `timeout`.
    fn next(&mut self, timeout: Duration) -> Result<Option<Event>>;
}

/// The children whose names to read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ChildPart {
    /// The index of the first child.
    pub first: usize,
    /// The maximum number of children whose names are read.
    pub count: usize,
    /// Also reads the names of everything inside the children.
    pub inside: bool,
}

/// The names of some children of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChildNames {
    /// The children in order. Children that the app did not return are left out.
    pub children: Vec<NamedChild>,
    /// The number of all children.
    pub total: usize,
    /// The number of leading children of the part whose names are all known. It is smaller than the
    /// part if the deadline passed.
    pub complete: usize,
    /// `true` if some child contains another long list, whose names were not read.
    pub has_gaps: bool,
}

/// A child and the names found in it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedChild {
    /// The index among its siblings.
    pub index: usize,
    /// The child.
    pub id: NodeId,
    /// Its name, and the names inside it if they were requested.
    pub names: Vec<String>,
}

/// The password fields of an app.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PasswordFields {
    /// The fields that were found.
    pub fields: Vec<NodeId>,
    /// The reason why the app may have more password fields; `None` if the search was complete.
    pub incomplete: Option<IncompleteReason>,
}

/// The reason why a search for password fields may have missed some.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum IncompleteReason {
    /// The app exposes its windows but not their content.
    ContentNotExposed,
    /// The app did not respond in time.
    Timeout,
    /// The app has more nodes than the search visits.
    TooManyNodes,
}

/// A text with its caret and selection. Positions count characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TextContent {
    /// The whole text; empty if it is secret.
    pub text: String,
    /// The number of characters before the caret; `None` if there is no caret.
    pub caret: Option<usize>,
    /// The selected range: first character, and one past the last.
    pub selected: Option<(usize, usize)>,
    /// The number of characters.
    pub length: usize,
    /// The text is secret, so `text` is empty.
    pub secret: bool,
}

/// An action on a node through the accessibility API.
#[derive(Debug, Clone, PartialEq)]
pub enum NodeAction {
    /// Invokes one of the named actions that the node offers.
    Invoke(String),
    /// Gives the node the keyboard focus in its window. Some toolkits also raise the window.
    Focus,
    /// Gives the node the keyboard focus, but only if that does not raise its window.
    FocusWithoutRaise,
    /// Replaces the whole text.
    SetText(String),
    /// Inserts text at the caret and replaces the selection.
    Insert(String),
    /// Moves the caret behind this many characters.
    SetCaret(usize),
    /// Sets the numeric value.
    SetNumber(f64),
    /// Adds the node to the selection of its container.
    Select,
    /// Makes the node the only selected one in its container.
    SelectOnly,
    /// Removes the node from the selection of its container.
    Deselect,
    /// Selects the child with this index, and keeps other children selected if the node allows
    /// several.
    SelectItem(usize),
    /// Clears the selection of the node.
    SelectNone,
    /// Scrolls until the node is visible.
    Reveal,
}

/// The reply of an app to an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ActionReply {
    /// The app reports that it performed the action.
    Accepted,
    /// The app reports that it did not perform the action.
    Declined,
    /// The app has not replied yet. It may still perform the action.
    Unanswered,
}
