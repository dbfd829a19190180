//! The use a caller has for an element. It decides between several matches.

use std::fmt;

use deskhand_model::{Index, Node, Role, Snapshot, State};

use crate::label::is_label;

/// The use a caller has for an element.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Purpose {
    /// To read it. Every element is suitable.
    #[default]
    Read,
    /// To click it or to perform one of its actions.
    Act,
    /// To type text into it.
    TypeText,
    /// To set its value: a text, a number, a choice or a switch.
    SetValue,
    /// To select items in it.
    SelectItems,
}

/// Everything except the query that decides between several matches.
#[derive(Debug, Clone, Copy, Default)]
pub struct Preferences<'a> {
    /// The use the caller has for the element.
    pub purpose: Purpose,
    /// The top-level windows that a modal dialog blocks.
    pub blocked_windows: &'a [Index],
}

/// The suitability of an element for a purpose, the best first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Suitability {
    /// It is made for this purpose.
    Suitable,
    /// It may serve the purpose.
    Possible,
    /// It is a label, a heading or a container.
    Unsuitable,
}

impl Purpose {
    /// Returns how well an element suits this purpose.
    pub(crate) fn suitability(self, node: &Node) -> Suitability {
        let is_suitable = match self {
            Self::Read => true,
            Self::Act => is_actionable(node),
            Self::TypeText => is_editable(node),
            Self::SetValue => has_settable_value(node),
            Self::SelectItems => has_items(node.role),
        };
        let may_serve = match self {
            Self::Read | Self::Act | Self::SelectItems => !is_text_or_layout(node.role),
            Self::TypeText => matches!(
                node.role,
                Role::ComboBox | Role::SpinButton | Role::Terminal | Role::Autocomplete
            ),
            Self::SetValue => matches!(
                node.role,
                Role::Entry | Role::Text | Role::Terminal | Role::List | Role::ListBox
            ),
        };
        match (is_suitable, may_serve) {
            (true, _) => Suitability::Suitable,
            (false, true) => Suitability::Possible,
            (false, false) => Suitability::Unsuitable,
        }
    }
}

fn is_actionable(node: &Node) -> bool {
    node.role.is_control()
        || !node.actions.is_empty()
        || matches!(node.role, Role::Cell | Role::TableRow | Role::Icon | Role::DesktopIcon)
}

/// Returns `true` if the user can type into the element.
pub(crate) fn is_editable(node: &Node) -> bool {
    node.states.has(State::Editable) && !node.states.has(State::ReadOnly)
}

fn has_settable_value(node: &Node) -> bool {
    let is_toggle = [State::Checkable, State::Checked, State::Pressed]
        .iter()
        .any(|state| node.states.has(*state));
    is_editable(node)
        || matches!(
            node.role,
            Role::CheckBox
                | Role::CheckMenuItem
                | Role::RadioButton
                | Role::RadioMenuItem
                | Role::ToggleButton
                | Role::Switch
                | Role::Slider
                | Role::SpinButton
                | Role::ScrollBar
                | Role::Dial
                | Role::SplitPane
                | Role::ComboBox
                | Role::DateEditor
                | Role::Autocomplete
                | Role::Cell
        )
        || (is_toggle && matches!(node.role, Role::Button | Role::MenuItem))
}

fn has_items(role: Role) -> bool {
    matches!(
        role,
        Role::List
            | Role::ListBox
            | Role::ComboBox
            | Role::Table
            | Role::Tree
            | Role::TreeTable
            | Role::TabList
            | Role::Menu
            | Role::Spreadsheet
            | Role::LayeredPane
            | Role::DirectoryPane
    )
}

fn is_text_or_layout(role: Role) -> bool {
    is_label(role)
        || role.is_layout()
        || role.is_window()
        || matches!(
            role,
            Role::Heading | Role::Paragraph | Role::StatusBar | Role::ToolTip | Role::Application
        )
}

/// Returns the only text field inside an element that is not editable itself, such as the field of an
/// editable combo box.
pub(crate) fn field_inside(snapshot: &Snapshot, at: Index) -> Option<Index> {
    let node = snapshot.node(at);
    let may_contain_field = matches!(
        node.role,
        Role::ComboBox | Role::Autocomplete | Role::SpinButton | Role::EditBar | Role::DateEditor
    );
    if is_editable(node) || !may_contain_field {
        return None;
    }
    let mut fields = snapshot.subtree(at).skip(1).filter(|at| is_editable(snapshot.node(*at)));
    match (fields.next(), fields.next()) {
        (Some(field), None) => Some(field),
        (Some(_), Some(_)) | (None, _) => None,
    }
}

/// The matches that were not chosen, by reason.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct OtherMatches {
    /// Matches in windows that a modal dialog blocks.
    pub blocked: usize,
    /// Matches that are not on the screen.
    pub hidden: usize,
    /// Matches that the verb cannot use, such as labels.
    pub unsuitable: usize,
    /// Matches in other windows than the open dialog.
    pub outside_dialog: usize,
    /// Disabled matches.
    pub disabled: usize,
}

impl OtherMatches {
    /// Returns the number of all other matches.
    pub fn count(self) -> usize {
        self.blocked + self.hidden + self.unsuitable + self.outside_dialog + self.disabled
    }
}

impl fmt::Display for OtherMatches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.count();
        write!(f, "{total} other {}: ", if total == 1 { "match" } else { "matches" })?;
        let parts = [
            (self.blocked, "blocked by a dialog"),
            (self.hidden, "hidden"),
            (self.unsuitable, "not usable for this"),
            (self.outside_dialog, "outside the open dialog"),
            (self.disabled, "disabled"),
        ];
        let parts: Vec<String> = parts
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, reason)| format!("{count} {reason}"))
            .collect();
        f.write_str(&parts.join(", "))
    }
}
