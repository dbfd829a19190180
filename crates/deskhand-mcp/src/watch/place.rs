//! Where changes are heard of, and what is looked at there.

use std::time::Duration;

use deskhand_engine::EventKind;
use serde_json::{Value, json};

use crate::resource::uri::{Uri, View};

/// Where changes are heard of; each has a thread of its own while anybody wants to know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Place {
    /// Which apps run.
    Desk,
    /// What was copied.
    Clipboard,
    /// One app, by its process.
    App(u32),
}

impl Place {
    /// What the thread is called; the kernel keeps 15 letters.
    pub(super) fn thread(self) -> String {
        match self {
            Self::Desk => "watch:desk".to_owned(),
            Self::Clipboard => "watch:clipboard".to_owned(),
            Self::App(pid) => format!("watch:{pid}"),
        }
    }
}

/// What is looked at to tell whether it changed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Sight {
    /// The running apps.
    Apps,
    /// What was copied.
    Clipboard,
    /// Every element of an app.
    Tree,
    /// Every element of one window.
    Window(u32),
    /// An app in few words.
    State,
    /// What happened in an app.
    Events,
}

/// What a change of a structure is heard by.
const GROWTH: &[EventKind] =
    &[EventKind::ChildrenChanged, EventKind::WindowCreated, EventKind::WindowDestroyed];

const CONDITION: &[EventKind] = &[
    EventKind::FocusChanged,
    EventKind::TitleChanged,
    EventKind::ValueChanged,
    EventKind::StateChanged,
    EventKind::WindowCreated,
    EventKind::WindowDestroyed,
    EventKind::WindowActivated,
];

/// All but what comes by the thousand.
const HAPPENINGS: &[EventKind] = &[
    EventKind::FocusChanged,
    EventKind::TitleChanged,
    EventKind::ValueChanged,
    EventKind::StateChanged,
    EventKind::SelectionChanged,
    EventKind::WindowCreated,
    EventKind::WindowDestroyed,
    EventKind::WindowActivated,
];

impl Sight {
    /// What of a resource is looked at; `None` when nobody tells of its changes.
    pub(crate) fn of(uri: &Uri) -> Option<Self> {
        match uri {
            Uri::Apps => Some(Self::Apps),
            Uri::Clipboard => Some(Self::Clipboard),
            Uri::App { view, .. } => match view {
                View::Tree(None) => Some(Self::Tree),
                View::Window(index, None) => Some(Self::Window(*index)),
                View::State => Some(Self::State),
                View::Events => Some(Self::Events),
                View::Tree(Some(_)) | View::Window(_, Some(_)) | View::Screenshot => None,
            },
            Uri::Status | Uri::Result(_) => None,
        }
    }

    /// How long changes are gathered before somebody looks.
    pub(super) fn gathers(self) -> Duration {
        match self {
            Self::Tree | Self::Window(_) => Duration::from_millis(500),
            Self::State => Duration::from_millis(100),
            Self::Apps | Self::Clipboard | Self::Events => Duration::ZERO,
        }
    }

    /// What is heard of it.
    pub(super) fn kinds(self) -> &'static [EventKind] {
        match self {
            Self::Tree | Self::Window(_) => GROWTH,
            Self::State => CONDITION,
            Self::Events => HAPPENINGS,
            Self::Apps => &[EventKind::AppStarted, EventKind::AppQuit],
            Self::Clipboard => &[],
        }
    }

    /// Whether it is looked at from time to time when nothing is heard of it. The window system tells
    /// of everything that is copied, and whoever copied it would have to hand it over each time.
    pub(super) fn is_looked_at_in_silence(self) -> bool {
        match self {
            Self::Tree | Self::Window(_) | Self::State | Self::Apps => true,
            Self::Clipboard | Self::Events => false,
        }
    }

    /// The tool that looks at it, and its arguments; what happened is heard, not looked at.
    pub(super) fn look(self, place: Place) -> Option<(&'static str, Value)> {
        let app = match place {
            Place::App(pid) => json!(pid.to_string()),
            Place::Desk | Place::Clipboard => Value::Null,
        };
        match self {
            Self::Apps => Some(("view_apps", json!({}))),
            Self::Clipboard => Some(("view_clipboard", json!({}))),
            Self::Tree => Some(("view_tree", json!({ "app": app, "mark": true }))),
            Self::Window(index) => {
                Some(("view_tree", json!({ "app": app, "window": index, "mark": true })))
            }
            Self::State => Some(("view_state", json!({ "app": app }))),
            Self::Events => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_subscribed_to_is_what_the_table_says() {
        let sight = |text: &str| Sight::of(&Uri::parse(text).unwrap());
        assert_eq!(sight("deskhand://apps"), Some(Sight::Apps));
        assert_eq!(sight("axterminator://clipboard"), Some(Sight::Clipboard));
        assert_eq!(sight("deskhand://app/a/window/3/tree"), Some(Sight::Window(3)));
        for never in [
            "deskhand://system/status",
            "deskhand://app/a/screenshot",
            "deskhand://app/a/tree?cursor=e3",
            "deskhand://result/1",
        ] {
            assert_eq!(sight(never), None, "{never}");
        }
    }
}
