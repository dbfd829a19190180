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
    SetValue(WantedValue),
    /// To select items in it.
    SelectItems,
}

/// The kinds of element that can take a value.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct WantedValue {
    fits_switch: bool,
    fits_number: bool,
}

impl WantedValue {
    /// A value that every element with a value can take.
    pub(crate) const ANY: Self = Self { fits_switch: true, fits_number: true };

    /// Returns the kinds of element that can take the value with this text.
    pub fn of(text: &str) -> Self {
        let fits_number = text.trim().parse::<f64>().is_ok_and(f64::is_finite);
        Self { fits_switch: parse_switch(text).is_some(), fits_number }
    }
}

/// Returns `true` or `false` for the words that turn a switch on or off.
pub fn parse_switch(text: &str) -> Option<bool> {
    match text.trim().to_lowercase().as_str() {
        "true" | "on" | "yes" | "1" | "checked" => Some(true),
        "false" | "off" | "no" | "0" | "unchecked" => Some(false),
        _ => None,
    }
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
    /// Returns `true` if the caller fills in a field.
    pub(crate) fn needs_field(self) -> bool {
        matches!(self, Self::TypeText | Self::SetValue(_))
    }

    /// Returns how well an element suits this purpose.
    pub(crate) fn suitability(self, node: &Node) -> Suitability {
        let is_suitable = match self {
            Self::Read => true,
            Self::Act => is_actionable(node),
            Self::TypeText => is_editable(node),
            Self::SetValue(value) => can_take(node, value),
            Self::SelectItems => has_items(node.role),
        };
        let may_serve = match self {
            Self::Read | Self::Act | Self::SelectItems => !is_text_or_layout(node.role),
            Self::TypeText => matches!(
                node.role,
                Role::ComboBox | Role::SpinButton | Role::Terminal | Role::Autocomplete
            ),
            Self::SetValue(_) => matches!(
                node.role,
                Role::Entry
                    | Role::Text
                    | Role::Terminal
                    | Role::List
                    | Role::ListBox
                    | Role::Slider
                    | Role::SpinButton
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

/// Returns `true` if an element has a value of the wanted kind.
fn can_take(node: &Node, wanted: WantedValue) -> bool {
    let is_toggle = [State::Checkable, State::Checked, State::Pressed]
        .iter()
        .any(|state| node.states.has(*state));
    let is = |roles: &[Role]| roles.contains(&node.role);
    if is(SWITCHES) || is_toggle && is(&[Role::Button, Role::MenuItem]) {
        wanted.fits_switch
    } else if is(RANGES) {
        wanted.fits_number
    } else {
        is_editable(node) || is(&[Role::ComboBox, Role::DateEditor, Role::Autocomplete, Role::Cell])
    }
}

const SWITCHES: &[Role] = &[
    Role::CheckBox,
    Role::CheckMenuItem,
    Role::RadioButton,
    Role::RadioMenuItem,
    Role::ToggleButton,
    Role::Switch,
];

const RANGES: &[Role] =
    &[Role::Slider, Role::SpinButton, Role::ScrollBar, Role::Dial, Role::SplitPane];

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

/// The reason why the element of a query is only a guess: nothing but the layout connects it with the
/// text of the query. Answers say so.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Guess {
    /// The element stands next to the text.
    Beside,
    /// The element is the only one that the caller can use inside the element with the text.
    Inside,
}

impl fmt::Display for Guess {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Beside => "a guess: it stands next to the text of the query",
            Self::Inside => "a guess: it is the only usable element inside the one with this text",
        })
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
    /// Matches in windows other than the open dialog.
    pub outside_dialog: usize,
    /// Disabled matches.
    pub disabled: usize,
    /// Matches in tabs that are not selected.
    pub in_other_tab: usize,
    /// Items that a click only selects, beside a control that acts.
    pub selects_only: usize,
    /// Matches that lie deeper in the container that the query names.
    pub deeper: usize,
}

impl OtherMatches {
    fn reasons(self) -> [(usize, &'static str); 8] {
        [
            (self.blocked, "blocked by a dialog"),
            (self.hidden, "hidden"),
            (self.unsuitable, "not usable for this"),
            (self.outside_dialog, "outside the open dialog"),
            (self.disabled, "disabled"),
            (self.in_other_tab, "in another tab"),
            (self.selects_only, "a click only selects"),
            (self.deeper, "deeper inside"),
        ]
    }

    /// Returns the number of all other matches.
    pub fn count(self) -> usize {
        self.reasons().iter().map(|(count, _)| count).sum()
    }
}

impl fmt::Display for OtherMatches {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let total = self.count();
        write!(f, "{total} other {}: ", if total == 1 { "match" } else { "matches" })?;
        let parts: Vec<String> = self
            .reasons()
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, reason)| format!("{count} {reason}"))
            .collect();
        f.write_str(&parts.join(", "))
    }
}
