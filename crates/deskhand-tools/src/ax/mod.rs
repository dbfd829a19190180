//! The `ax_…` tools of axterminator, offered to MCP clients. The CLI has its own commands for the
//! same verbs.

pub(crate) mod assert;
pub(crate) mod click;
pub(crate) mod click_at;
pub(crate) mod clipboard;
pub(crate) mod connect;
pub(crate) mod drag;
pub(crate) mod find;
pub(crate) mod get_attributes;
pub(crate) mod get_tree;
pub(crate) mod get_value;
pub(crate) mod is_accessible;
pub(crate) mod key_press;
pub(crate) mod list_apps;
pub(crate) mod list_windows;
pub(crate) mod run_script;
pub(crate) mod screenshot;
pub(crate) mod scroll;
pub(crate) mod session_info;
pub(crate) mod set_value;
pub(crate) mod type_text;
pub(crate) mod wait_idle;

mod acted;
mod speech;

pub(crate) use acted::Acted;
pub use speech::for_tools;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{Entry, Offer, Page, Shown, TaskSupport, Toolset, page};

/// Returns all tools of this vocabulary.
pub(crate) fn all() -> Vec<Entry> {
    vec![
        Entry::of::<is_accessible::IsAccessible>(),
        Entry::of::<connect::Connect>(),
        Entry::of::<list_apps::ListApps>(),
        Entry::of::<find::Find>(),
        Entry::of::<get_tree::GetTree>(),
        Entry::of::<get_attributes::GetAttributes>(),
        Entry::of::<click::Click>(),
        Entry::of::<click_at::ClickAt>(),
        Entry::of::<type_text::Type>(),
        Entry::of::<set_value::SetValue>(),
        Entry::of::<scroll::Scroll>(),
        Entry::of::<drag::Drag>(),
        Entry::of::<key_press::KeyPress>(),
        Entry::of::<screenshot::Screenshot>(),
        Entry::of::<get_value::GetValue>(),
        Entry::of::<list_windows::ListWindows>(),
        Entry::of::<wait_idle::WaitIdle>(),
        Entry::of::<assert::Assert>(),
        Entry::of::<clipboard::Clipboard>(),
        Entry::of::<session_info::SessionInfo>(),
        Entry::of::<run_script::RunScript>(),
    ]
}

/// No arguments.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct Nothing {}

/// Offers a tool in the default toolset.
const fn offer(title: &'static str) -> Option<Offer> {
    Some(Offer { title, toolsets: &[Toolset::Ax], task: TaskSupport::Never })
}

/// Offers a tool in the `core` and the default toolset.
const fn core(title: &'static str) -> Option<Offer> {
    Some(Offer { title, toolsets: &[Toolset::Ax, Toolset::Core], task: TaskSupport::Never })
}

/// Offers a tool in the `core` and the default toolset, with task support.
const fn core_task(title: &'static str) -> Option<Offer> {
    Some(Offer { title, toolsets: &[Toolset::Ax, Toolset::Core], task: TaskSupport::Optional })
}

/// Returns the data as text, for outputs whose data is complete.
fn as_data(answer: &impl Serialize) -> Page {
    let text = serde_json::to_string(answer).unwrap_or_default();
    Page::default().line(page::Line::new().with(page::Style::Plain, text))
}

macro_rules! shown_as_data {
    ($($answer:ty),*) => {
        $(impl Shown for $answer {
            fn page(&self) -> Page {
                as_data(self)
            }
        })*
    };
}

shown_as_data!(
    connect::Connected,
    get_attributes::Known,
    get_value::Held,
    is_accessible::Access,
    list_apps::Apps,
    list_windows::Windows,
    session_info::Info,
    wait_idle::Rested
);
