//! The views behind the server's MCP resources. They only read, and callers do not use them by
//! name.

pub(crate) mod app;
pub(crate) mod apps;
pub(crate) mod clipboard;
pub(crate) mod elements;
pub(crate) mod names;
pub(crate) mod state;
pub(crate) mod status;
pub(crate) mod tree;

use crate::{BuiltinTool, Render, StyledText, ToolEntry};

/// Returns all tools of this vocabulary.
pub(crate) fn all() -> Vec<BuiltinTool> {
    vec![
        ToolEntry::builtin::<app::AppView>(),
        ToolEntry::builtin::<apps::AppsView>(),
        ToolEntry::builtin::<clipboard::ClipboardView>(),
        ToolEntry::builtin::<elements::ElementsView>(),
        ToolEntry::builtin::<names::NamesView>(),
        ToolEntry::builtin::<state::StateView>(),
        ToolEntry::builtin::<status::StatusView>(),
        ToolEntry::builtin::<tree::TreeResource>(),
    ]
}

macro_rules! only_data {
    ($($answer:ty),*) => {
        $(impl Render for $answer {
            fn render(&self) -> StyledText {
                StyledText::default()
            }
        })*
    };
}

only_data!(
    app::ResolvedApp,
    apps::AppSummaries,
    clipboard::ClipboardText,
    elements::ElementSummaries,
    names::NameList,
    state::AppState,
    status::StatusReport,
    tree::TreeView
);
