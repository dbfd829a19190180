//! Event sources, and the views that are watched there.

use std::time::Duration;

use deskhand_engine::EventKind;
use serde_json::{Value, json};

use crate::{
    resource::{
        read::read_tool,
        uri::{AppView, Uri},
    },
    timing,
};

/// A source of events. Each one has a watcher thread while it has subscriptions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum EventSource {
    /// The list of running apps.
    Desktop,
    /// The clipboard.
    Clipboard,
    /// One app, by its pid.
    App(u32),
}

impl EventSource {
    /// Returns the name of the watcher thread. Linux keeps 15 characters.
    pub(super) fn thread_name(self) -> String {
        match self {
            Self::Desktop => "watch:desk".to_owned(),
            Self::Clipboard => "watch:clipboard".to_owned(),
            Self::App(pid) => format!("watch:{pid}"),
        }
    }
}

/// A view that is compared between two reads.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum WatchedView {
    /// The list of running apps.
    Apps,
    /// The clipboard content.
    Clipboard,
    /// All elements of an app.
    Tree,
    /// All elements of one window.
    Window(u32),
    /// The summary of an app.
    State,
    /// The events of an app.
    Events,
}

/// Events that change the structure of a tree.
const STRUCTURE_EVENTS: &[EventKind] =
    &[EventKind::ChildrenChanged, EventKind::WindowCreated, EventKind::WindowDestroyed];

/// Events that change the summary of an app.
const STATE_EVENTS: &[EventKind] = &[
    EventKind::FocusChanged,
    EventKind::TitleChanged,
    EventKind::ValueChanged,
    EventKind::StateChanged,
    EventKind::WindowCreated,
    EventKind::WindowDestroyed,
    EventKind::WindowActivated,
];

/// Events that are reported: all but the most frequent ones.
const REPORTED_EVENTS: &[EventKind] = &[
    EventKind::FocusChanged,
    EventKind::TitleChanged,
    EventKind::ValueChanged,
    EventKind::StateChanged,
    EventKind::SelectionChanged,
    EventKind::WindowCreated,
    EventKind::WindowDestroyed,
    EventKind::WindowActivated,
];

impl WatchedView {
    /// Returns the view of a resource, or `None` if the resource has no change notifications.
    pub(crate) fn from_uri(uri: &Uri) -> Option<Self> {
        match uri {
            Uri::Apps => Some(Self::Apps),
            Uri::Clipboard => Some(Self::Clipboard),
            Uri::App { view, .. } => match view {
                AppView::Tree(None) => Some(Self::Tree),
                AppView::Window(index, None) => Some(Self::Window(*index)),
                AppView::State => Some(Self::State),
                AppView::Events => Some(Self::Events),
                AppView::Tree(Some(_)) | AppView::Window(_, Some(_)) | AppView::Screenshot => None,
            },
            Uri::Status | Uri::Result(_) => None,
        }
    }

    /// Returns the time for which changes are collected before the view is read.
    pub(super) fn change_delay(self) -> Duration {
        match self {
            Self::Tree | Self::Window(_) => timing::TREE_CHANGE_DELAY,
            Self::State => timing::STATE_CHANGE_DELAY,
            Self::Apps | Self::Clipboard | Self::Events => Duration::ZERO,
        }
    }

    /// Returns the events that may change the view.
    pub(super) fn event_kinds(self) -> &'static [EventKind] {
        match self {
            Self::Tree | Self::Window(_) => STRUCTURE_EVENTS,
            Self::State => STATE_EVENTS,
            Self::Events => REPORTED_EVENTS,
            Self::Apps => &[EventKind::AppStarted, EventKind::AppQuit],
            Self::Clipboard => &[],
        }
    }

    /// Returns `true` if the view is read now and then when no events arrive. The window system
    /// reports every change of the clipboard, and reading it would burden the app that owns it.
    pub(super) fn is_polled_in_silence(self) -> bool {
        match self {
            Self::Tree | Self::Window(_) | Self::State | Self::Apps => true,
            Self::Clipboard | Self::Events => false,
        }
    }

    /// Returns the tool that reads the view, and its arguments. Returns `None` if no tool reads it:
    /// events are recorded as they arrive, and only an app has a tree, windows and a state.
    pub(super) fn read_tool(
        self,
        source: EventSource,
    ) -> Option<(deskhand_engine::ToolKey, Value)> {
        let app = |view| match source {
            EventSource::App(pid) => Some(Uri::App { name: pid.to_string(), view }),
            EventSource::Desktop | EventSource::Clipboard => None,
        };
        let uri = match self {
            Self::Apps => Uri::Apps,
            Self::Clipboard => Uri::Clipboard,
            Self::Tree => app(AppView::Tree(None))?,
            Self::Window(index) => app(AppView::Window(index, None))?,
            Self::State => app(AppView::State)?,
            Self::Events => return None,
        };
        let (tool, mut arguments) = read_tool(&uri);
        if matches!(self, Self::Tree | Self::Window(_)) {
            arguments["mark"] = json!(true);
        }
        Some((tool, arguments))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_views_with_change_notifications_can_be_watched() {
        let view = |text: &str| WatchedView::from_uri(&Uri::parse(text).unwrap());
        assert_eq!(view("deskhand://apps"), Some(WatchedView::Apps));
        assert_eq!(view("axterminator://clipboard"), Some(WatchedView::Clipboard));
        assert_eq!(view("deskhand://app/a/window/3/tree"), Some(WatchedView::Window(3)));
        for never in [
            "deskhand://system/status",
            "deskhand://app/a/screenshot",
            "deskhand://app/a/tree?cursor=e3",
            "deskhand://result/1",
        ] {
            assert_eq!(view(never), None, "{never}");
        }
    }
}
