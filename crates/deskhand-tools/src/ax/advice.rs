//! Advice in the vocabulary of MCP clients: the `ax_…` tools and their arguments.
//!
//! A step for which no tool exists is a request to the user.

use std::borrow::Cow;

use deskhand_model::{Advice, Step};

/// Spells advice for MCP clients.
pub(crate) fn spell(advice: &Advice) -> String {
    advice.spell(spell_step)
}

/// Returns `true` if a name is that of an `ax_…` tool.
pub(crate) fn is_tool(name: &str) -> bool {
    name.starts_with("ax_")
}

fn spell_step(step: &Step) -> Cow<'static, str> {
    Cow::Borrowed(match step {
        Step::ReadTree { pid: None } => "ax_get_tree",
        Step::ReadTree { pid: Some(pid) } => return format!("ax_get_tree with app {pid}").into(),
        Step::ReadAttributes => "ax_get_attributes",
        Step::Screenshot => "ax_screenshot",
        Step::ListApps | Step::WaitForApp { .. } => "ax_list_apps",
        Step::ListWindows | Step::WindowState => "ax_list_windows",
        Step::RestoreWindow { .. } => "ax_click with mode \"focus\"",
        Step::ReadClipboard => "ax_clipboard",
        Step::Click => "ax_click",
        Step::TypeText => "ax_type",
        Step::PressKey => "ax_key_press",
        Step::ClickPoint => "ax_click_at",
        Step::ChooseItem => "ax_set_value",
        Step::Check => "ax_is_accessible",
        Step::ListTools => "`tools/list`",
        Step::ToolHelp { .. } => "the input schema of the tool",
        Step::FocusMode => "mode \"focus\"",
        Step::BackgroundMode => "mode \"background\"",
        Step::IncludeInvisible => "`include_invisible`",
        Step::Argument(name) => return format!("`{name}`").into(),
        Step::RaiseTimeout => "wait with ax_wait_idle",
        Step::NameWindow => "name one by its pid",
        Step::ListDisplays => "take a screenshot of the whole screen first",
        Step::PlaceWindow => "ask the user to move and resize it",
        Step::StartProgram => "ask the user to start a program",
        Step::OpenPermissionSettings => "ax_is_accessible tells if they did",
        Step::Resume => "only the user can resume",
        Step::EndHangingProgram => "ask the user to end the hanging program",
        Step::RevokeApprovals => "ask the user to clear it",
        Step::SetSandboxScope => "ask the user to start the server with a sandbox scope",
        Step::EnableCommands => "ask the user to start the server with the toolset cli",
        Step::DisableSandbox => "ask the user to allow commands without a sandbox",
        Step::ListServers => "ask the user to add one",
        Step::LogIn { server } => return format!("ask the user to log in to {server}").into(),
        Step::StartDesktop => "ask the user to start one",
        Step::StopDesktop { .. } => "ask the user to stop that desktop",
    })
}
