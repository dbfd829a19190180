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
mod advice;

pub(crate) use acted::ActionResult;
pub(crate) use advice::{is_tool, spell};

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::{
    BuiltinTool, Offer, Render, Style, StyledLine, StyledText, TaskSupport, ToolEntry, Toolset,
};

/// Returns all tools of this vocabulary.
pub(crate) fn all() -> Vec<BuiltinTool> {
    vec![
        ToolEntry::builtin::<is_accessible::AxIsAccessible>(),
        ToolEntry::builtin::<connect::AxConnect>(),
        ToolEntry::builtin::<list_apps::AxListApps>(),
        ToolEntry::builtin::<find::AxFind>(),
        ToolEntry::builtin::<get_tree::AxGetTree>(),
        ToolEntry::builtin::<get_attributes::AxGetAttributes>(),
        ToolEntry::builtin::<click::AxClick>(),
        ToolEntry::builtin::<click_at::AxClickAt>(),
        ToolEntry::builtin::<type_text::AxType>(),
        ToolEntry::builtin::<set_value::AxSetValue>(),
        ToolEntry::builtin::<scroll::AxScroll>(),
        ToolEntry::builtin::<drag::AxDrag>(),
        ToolEntry::builtin::<key_press::AxKeyPress>(),
        ToolEntry::builtin::<screenshot::AxScreenshot>(),
        ToolEntry::builtin::<get_value::AxGetValue>(),
        ToolEntry::builtin::<list_windows::AxListWindows>(),
        ToolEntry::builtin::<wait_idle::AxWaitIdle>(),
        ToolEntry::builtin::<assert::AxAssert>(),
        ToolEntry::builtin::<clipboard::AxClipboard>(),
        ToolEntry::builtin::<session_info::AxSessionInfo>(),
        ToolEntry::builtin::<run_script::AxRunScript>(),
    ]
}

/// No arguments.
#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(crate) struct NoArguments {}

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
pub(crate) fn as_data(answer: &impl Serialize) -> StyledText {
    let text = serde_json::to_string(answer).unwrap_or_default();
    StyledText::default().line(StyledLine::new().with(Style::Plain, text))
}

macro_rules! shown_as_data {
    ($($answer:ty),*) => {
        $(impl Render for $answer {
            fn render(&self) -> StyledText {
                as_data(self)
            }
        })*
    };
}

shown_as_data!(
    connect::ConnectResult,
    get_attributes::AttributesResult,
    get_value::ValueResult,
    is_accessible::AccessibilityResult,
    list_apps::AppsResult,
    list_windows::WindowsResult,
    session_info::SessionInfoResult,
    wait_idle::IdleResult
);
