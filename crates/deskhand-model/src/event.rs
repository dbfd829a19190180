//! What apps report while they run.

use serde::{Deserialize, Serialize};

use crate::{AppId, NodeId};

/// The kind of a change an app reports.
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
    /// Another item was selected.
    SelectionChanged,
    /// An app joined the desktop.
    AppStarted,
    /// An app left the desktop.
    AppQuit,
}

impl EventKind {
    /// The word JSON and the command line use.
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

/// One report.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Event {
    /// What happened.
    pub kind: EventKind,
    /// In which app.
    pub app: AppId,
    /// To which element, when the report names one.
    pub node: Option<NodeId>,
    /// The detail the platform gives: the state's name, the inserted text, the new name.
    pub detail: String,
    /// Whether the thing came (true) or went (false), for states and children.
    pub on: bool,
}
