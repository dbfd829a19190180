//! LineContent outlines need to know about roles.

use super::labels;
use crate::{Index, Node, Role, Snapshot, State, Value};

/// Whether the element holds many alike: what a long list is cut in.
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

/// Whether the element is a table whose cells may stand in it without rows.
pub(crate) fn is_table(role: Role) -> bool {
    matches!(role, Role::Table | Role::TreeTable | Role::Spreadsheet | Role::Tree)
}

/// Whether the element is one of many alike.
pub(crate) fn is_item(role: Role) -> bool {
    matches!(role, Role::ListItem | Role::TreeItem | Role::TableRow | Role::Icon | Role::Cell)
}

/// Whether the element stands in a row of a table.
pub(crate) fn is_cell(role: Role) -> bool {
    matches!(role, Role::Cell | Role::TableRowHeader | Role::RowHeader)
}

/// Whether the element heads a column.
pub(crate) fn is_column_header(role: Role) -> bool {
    matches!(role, Role::TableColumnHeader | Role::ColumnHeader)
}

/// Whether the element is a document, of which only a part is on the screen.
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

/// Whether the element is an entry of a menu.
pub(crate) fn is_menu_entry(role: Role) -> bool {
    matches!(
        role,
        Role::MenuItem | Role::CheckMenuItem | Role::RadioMenuItem | Role::Menu | Role::ListItem
    )
}

/// Whether the element opens a menu or list of its own.
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

/// Whether the element is words to read and nothing else.
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

/// Whether the element only groups what is in it, and is passed over when it has no name.
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

/// Whether the element is a picture, which tells a reader nothing without a name.
pub(crate) fn is_picture(role: Role) -> bool {
    matches!(
        role,
        Role::Image | Role::Icon | Role::Animation | Role::Arrow | Role::Canvas | Role::DrawingArea
    )
}

/// Whether the element never tells a reader anything.
pub(crate) fn is_decoration(role: Role) -> bool {
    matches!(role, Role::Separator | Role::ToolTip | Role::AcceleratorLabel | Role::TearoffMenuItem)
}

/// Whether text is typed into such an element, so that it matters when it takes none.
pub(crate) fn is_text_box(role: Role) -> bool {
    matches!(role, Role::Entry | Role::Text | Role::EditBar)
}

/// Whether the text such an element holds is its own, not that of the elements in it.
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

/// Whether the number such an element holds means something to a reader.
pub(crate) fn has_number(role: Role) -> bool {
    role.is_ranged() || matches!(role, Role::ScrollBar | Role::Cell | Role::Timer)
}

/// Whether a person can act on the element: by its kind, or because it takes the focus or a click.
pub(crate) fn is_actionable(node: &Node) -> bool {
    node.role.is_control()
        || node.states.has(State::Focusable)
        || node.actions.iter().any(|action| {
            ["click", "press", "activate", "jump", "toggle"]
                .iter()
                .any(|verb| action.eq_ignore_ascii_case(verb))
        })
}

/// LineContent a child of such an element is called in a count.
pub(crate) fn noun(role: Role) -> &'static str {
    if matches!(role, Role::Table | Role::TreeTable) {
        "row"
    } else if role == Role::Spreadsheet {
        "cell"
    } else if is_list(role) || has_popup(role) || role == Role::MenuBar {
        "item"
    } else {
        "element"
    }
}

/// The value that is worth a place on the line.
///
/// A web page's containers hold the text of what is in them; that is told by their own lines.
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

/// Whether the value of an element is about it, not about what is in it.
pub(crate) fn has_own_value(snapshot: &Snapshot, at: Index) -> bool {
    let node = snapshot.node(at);
    match &node.value {
        None | Some(Value::Text { .. }) => has_own_text(node.role) || snapshot.subtree_len(at) == 1,
        Some(Value::Number { .. }) => has_number(node.role),
        Some(Value::Secret) => true,
    }
}
