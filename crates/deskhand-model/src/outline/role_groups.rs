//! Groups of roles that outlines treat alike.

use super::labels;
use crate::{Index, Node, Role, Snapshot, State, Value};

/// Returns `true` for containers of many similar items, which are truncated when long.
pub(crate) fn is_list(role: Role) -> bool {
    matches!(
        role,
        Role::List
            | Role::ListBox
            | Role::Table
            | Role::TreeTable
            | Role::Tree
            | Role::Spreadsheet
            | Role::DescriptionList
            | Role::DirectoryPane
            | Role::Log
    )
}

/// Returns `true` for tables, whose cells may be direct children without rows.
pub(crate) fn is_table(role: Role) -> bool {
    matches!(role, Role::Table | Role::TreeTable | Role::Spreadsheet | Role::Tree)
}

/// Returns `true` for items of a list, tree or table.
pub(crate) fn is_item(role: Role) -> bool {
    matches!(role, Role::ListItem | Role::TreeItem | Role::TableRow | Role::Icon | Role::Cell)
}

/// Returns `true` for cells of a table row.
pub(crate) fn is_cell(role: Role) -> bool {
    matches!(role, Role::Cell | Role::TableRowHeader | Role::RowHeader)
}

/// Returns `true` for column headers.
pub(crate) fn is_column_header(role: Role) -> bool {
    matches!(role, Role::TableColumnHeader | Role::ColumnHeader)
}

/// Returns `true` for documents, which are usually larger than the screen.
pub(crate) fn is_document(role: Role) -> bool {
    matches!(
        role,
        Role::WebDocument
            | Role::DocumentFrame
            | Role::TextDocument
            | Role::EmailDocument
            | Role::Presentation
    )
}

/// Returns `true` for menu entries.
pub(crate) fn is_menu_entry(role: Role) -> bool {
    matches!(
        role,
        Role::MenuItem | Role::CheckMenuItem | Role::RadioMenuItem | Role::Menu | Role::ListItem
    )
}

/// Returns `true` for elements that open a menu or list.
pub(crate) fn has_popup(role: Role) -> bool {
    matches!(
        role,
        Role::Menu
            | Role::MenuItem
            | Role::MenuButton
            | Role::PopupMenu
            | Role::ComboBox
            | Role::Autocomplete
    )
}

/// Returns `true` for elements that contain only text to read.
pub(crate) fn is_text(role: Role) -> bool {
    matches!(
        role,
        Role::Label
            | Role::StaticText
            | Role::Caption
            | Role::Paragraph
            | Role::BlockQuote
            | Role::Mark
            | Role::Insertion
            | Role::Deletion
            | Role::Subscript
            | Role::Superscript
            | Role::Footnote
            | Role::DescriptionTerm
            | Role::DescriptionValue
            | Role::Definition
    )
}

/// Returns `true` for containers that are skipped if they have no name.
pub(crate) fn is_wrapper(role: Role) -> bool {
    role.is_layout()
        || is_text(role)
        || is_cell(role)
        || matches!(
            role,
            Role::Form
                | Role::Article
                | Role::Landmark
                | Role::Header
                | Role::Footer
                | Role::TitleBar
                | Role::FocusTraversable
                | Role::TableRow
                | Role::Application
        )
}

/// Returns `true` for pictures, which carry no information without a name.
pub(crate) fn is_picture(role: Role) -> bool {
    matches!(
        role,
        Role::Image | Role::Icon | Role::Animation | Role::Arrow | Role::Canvas | Role::DrawingArea
    )
}

/// Returns `true` for elements that never carry information.
pub(crate) fn is_decoration(role: Role) -> bool {
    matches!(role, Role::Separator | Role::ToolTip | Role::AcceleratorLabel | Role::TearoffMenuItem)
}

/// Returns `true` for text fields, for which being read-only is worth showing.
pub(crate) fn is_text_box(role: Role) -> bool {
    matches!(role, Role::Entry | Role::Text | Role::EditBar)
}

/// Returns `true` for elements whose text is their own rather than that of their descendants.
fn has_own_text(role: Role) -> bool {
    is_text_box(role)
        || matches!(
            role,
            Role::Password
                | Role::SpinButton
                | Role::ComboBox
                | Role::Autocomplete
                | Role::DateEditor
                | Role::Terminal
                | Role::Slider
                | Role::ProgressBar
        )
}

/// Returns `true` for elements whose number is meaningful to a reader.
pub(crate) fn has_number(role: Role) -> bool {
    role.is_ranged() || matches!(role, Role::ScrollBar | Role::Cell | Role::Timer)
}

/// Returns `true` if users can act on the element: it is a control, it is focusable, or it can be
/// clicked.
pub(crate) fn is_actionable(node: &Node) -> bool {
    node.role.is_control()
        || node.states.has(State::Focusable)
        || node.actions.iter().any(|action| {
            ["click", "press", "activate", "jump", "toggle"]
                .iter()
                .any(|verb| action.eq_ignore_ascii_case(verb))
        })
}

/// Returns the noun for counting the children of such an element.
pub(crate) fn noun(role: Role) -> &'static str {
    if matches!(role, Role::Table | Role::TreeTable) {
        "row"
    } else if role == Role::Spreadsheet {
        "cell"
    } else if role == Role::TabList {
        "tab"
    } else if is_list(role) || has_popup(role) || role == Role::MenuBar {
        "item"
    } else {
        "element"
    }
}

/// Returns the value to show on the line.
///
/// The containers of a web page repeat the text of their descendants, which have their own lines.
pub(crate) fn shown_value<'a>(
    snapshot: &'a Snapshot,
    at: Index,
    shown_name: &str,
) -> Option<&'a Value> {
    let node = snapshot.node(at);
    node.value.as_ref().filter(|value| match value {
        Value::Text { text, .. } => {
            let text = labels::bare(text);
            has_own_value(snapshot, at) && !text.is_empty() && text != shown_name.trim()
        }
        Value::Number { .. } | Value::Secret => has_own_value(snapshot, at),
    })
}

/// Returns `true` if the value belongs to the element itself rather than to its descendants.
pub(crate) fn has_own_value(snapshot: &Snapshot, at: Index) -> bool {
    let node = snapshot.node(at);
    match &node.value {
        None | Some(Value::Text { .. }) => has_own_text(node.role) || snapshot.subtree_len(at) == 1,
        Some(Value::Number { .. }) => has_number(node.role),
        Some(Value::Secret) => true,
    }
}
