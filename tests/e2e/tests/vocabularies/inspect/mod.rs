//! The tools of accessibility-mcp.

mod get_focused_element;
