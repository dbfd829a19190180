//! The tools of accessibility-mcp, offered to MCP clients. They describe elements by role, title, value,
//! path and actions.

pub(crate) mod get_focused_element;

use crate::{BuiltinTool, Offer, TaskSupport, ToolEntry, Toolset};

/// Returns all tools of this vocabulary.
pub(crate) fn all() -> Vec<BuiltinTool> {
    vec![ToolEntry::builtin::<get_focused_element::GetFocusedElement>()]
}

/// Offers a tool in the `inspect` toolset.
const fn offer(title: &'static str) -> Option<Offer> {
    Some(Offer { title, toolsets: &[Toolset::Inspect], task: TaskSupport::Never })
}

/// Returns a role as this vocabulary writes it: `Button` for `AXButton`.
fn role_name(role: &'static str) -> &'static str {
    role.strip_prefix("AX").unwrap_or(role)
}
