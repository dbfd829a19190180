//! Events that apps report while they run.

use serde::{Deserialize, Serialize};

use crate::{AppId, NodeId};

/// The kind of an event.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Hash,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    schemars::JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum EventKind {
    /// A value or a text changed.
    ValueChanged,
    /// The keyboard focus moved.
    FocusChanged,
    /// A window opened.
    WindowCreated,
    /// A window closed.
    WindowDestroyed,
    /// A window came to the front.
    WindowActivated,
    /// A name or a window title changed.
    TitleChanged,
    /// A state such as checked or expanded changed.
    StateChanged,
    /// Elements were added or removed.
    ChildrenChanged,
    /// The selection changed.
    SelectionChanged,
    /// An app started.
    AppStarted,
    /// An app quit.
    AppQuit,
}

impl EventKind {
    /// Returns the name used in JSON and on the command line.
    pub fn word(self) -> &'static str {
        match self {
            Self::ValueChanged => "value_changed",
            Self::FocusChanged => "focus_changed",
            Self::WindowCreated => "window_created",
            Self::WindowDestroyed => "window_destroyed",
            Self::WindowActivated => "window_activated",
            Self::TitleChanged => "title_changed",
            Self::StateChanged => "state_changed",
            Self::ChildrenChanged => "children_changed",
            Self::SelectionChanged => "selection_changed",
            Self::AppStarted => "app_started",
            Self::AppQuit => "app_quit",
        }
    }
}

/// A change that an app reported.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// The kind of the event.
    pub kind: EventKind,
    /// The app that reported it.
    pub app: AppId,
    /// The element concerned, if the platform names one.
    pub node: Option<NodeId>,
    /// Details from the platform: the name of the state, the inserted text or the new name.
    pub detail: String,
    /// For states and children: `true` if the state was set or the child added, `false` if it was
    /// cleared or removed.
    pub on: bool,
}
