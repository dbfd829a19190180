//! The change that an action should cause, and the comparison of an element with it.

use deskhand_model::{Node, Role, State, Value};
use deskhand_platform::TextContent;

use crate::effect::{Evidence, EvidenceKind};

/// The change that an action should cause.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Expectation {
    /// Any change that the app made, as opposed to the feedback of the pressed element itself.
    AnyChange,
    /// Any change besides a selection.
    MoreThanSelection,
    /// Something opens or closes. A double click needs this: after its first click, apps already
    /// show the selection in labels and enable buttons for it.
    Opening,
    /// One of the on/off states changes, as in a check box that is clicked.
    Toggled,
    /// The state is set (`true`) or cleared (`false`).
    HasState(State, bool),
    /// The element is on or off. Toolkits report this as either checked or pressed.
    Switched(bool),
    /// The element's complete text equals this text.
    Text(String),
    /// The element's numeric value equals this number.
    Number(f64),
    /// The element shows this choice in its value, its name or its selected item.
    Choice(String),
    /// The user can see the element.
    InView,
}

/// The evidence that proves an expectation without an exact target state.
enum Proof {
    Anything,
    BesideSelection,
    Opening,
}

/// The progress of an element towards an expectation.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Progress {
    /// The expectation is met.
    Met(Evidence),
    /// Something changed, but not as expected.
    Different(Evidence),
    /// Nothing has changed yet.
    Pending,
}

/// The parts of an element's state that expectations compare.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct ElementState {
    /// The element.
    pub node: Node,
    /// The complete text, if the expectation needs it.
    pub text: Option<TextContent>,
    /// The current choice, if the element has one.
    pub choice: Option<String>,
    /// `true` if the user can see the element. Read only for [`Expectation::InView`].
    pub in_view: bool,
}

impl Expectation {
    /// Returns `true` if the expectation names an exact state. If an exact state is missing, the
    /// action had no effect.
    pub(crate) fn is_exact(&self) -> bool {
        match self {
            Self::AnyChange | Self::MoreThanSelection | Self::Opening => false,
            Self::Toggled
            | Self::HasState(..)
            | Self::Switched(_)
            | Self::Text(_)
            | Self::Number(_)
            | Self::Choice(_)
            | Self::InView => true,
        }
    }

    /// Returns `true` if the evidence proves an inexact expectation.
    pub(crate) fn accepts_evidence(&self, evidence: &Evidence) -> bool {
        match self.accepted_proof() {
            Proof::Anything => true,
            Proof::BesideSelection => !evidence.is_selection(),
            Proof::Opening => evidence.is_opening(),
        }
    }

    fn accepted_proof(&self) -> Proof {
        match self {
            Self::MoreThanSelection => Proof::BesideSelection,
            Self::Opening => Proof::Opening,
            Self::AnyChange
            | Self::Toggled
            | Self::HasState(..)
            | Self::Switched(_)
            | Self::Text(_)
            | Self::Number(_)
            | Self::Choice(_)
            | Self::InView => Proof::Anything,
        }
    }

    /// Returns `true` if toolkits do not always report that the expectation is met. GTK 4 does not
    /// report which row is selected, and browsers report some choices late.
    pub(crate) fn may_be_unreported(&self) -> bool {
        match self {
            Self::Toggled | Self::HasState(..) | Self::Switched(_) | Self::Choice(_) => true,
            Self::AnyChange
            | Self::MoreThanSelection
            | Self::Opening
            | Self::Text(_)
            | Self::Number(_)
            | Self::InView => false,
        }
    }

    /// Returns `true` if evidence concerns the content of the element. A selected or focused field says
    /// nothing about its text.
    fn is_about_content(&self, evidence: &Evidence) -> bool {
        let is_content = matches!(evidence.kind, EvidenceKind::Text | EvidenceKind::Value);
        is_content || !matches!(self, Self::Text(_)) && evidence.kind != EvidenceKind::State
    }

    /// Returns `true` if the complete text of the element must be read.
    pub(crate) fn needs_text(&self, role: Role) -> bool {
        // A spin button that was emptied still has its last number as value.
        matches!(self, Self::Text(_)) || matches!(self, Self::Number(_)) && role == Role::SpinButton
    }

    /// Returns `true` if the element is in the expected state. Inexact expectations are never met
    /// in advance.
    pub(crate) fn is_met(&self, now: &ElementState) -> bool {
        match self {
            Self::AnyChange | Self::MoreThanSelection | Self::Opening | Self::Toggled => false,
            Self::HasState(state, wanted) => now.node.states.has(*state) == *wanted,
            Self::Switched(wanted) => {
                is_on(&now.node) == *wanted && !now.node.states.has(State::Mixed)
            }
            Self::Text(wanted) => has_text(now, wanted),
            Self::Number(wanted) => {
                let is_empty = now.text.as_ref().is_some_and(|text| text.text.trim().is_empty());
                !is_empty && number(&now.node).is_some_and(|now| is_same_number(now, *wanted))
            }
            Self::Choice(wanted) => shows_choice(now, wanted),
            Self::InView => now.in_view,
        }
    }

    /// Compares the current state of an element with its state before the action.
    pub(crate) fn progress(
        &self,
        before: &ElementState,
        now: &ElementState,
        what: &str,
    ) -> Progress {
        let changed = difference(before, now, what);
        match self {
            // Acting on an element moves the focus as a side effect, even if nothing else happens.
            Self::AnyChange | Self::MoreThanSelection | Self::Opening => changed
                .filter(|evidence| {
                    evidence.kind != EvidenceKind::Focus && self.accepts_evidence(evidence)
                })
                .map_or(Progress::Pending, Progress::Met),
            Self::Toggled => {
                let flipped = [
                    State::Checked,
                    State::Pressed,
                    State::Selected,
                    State::Expanded,
                    State::Mixed,
                ]
                .into_iter()
                .any(|state| before.node.states.has(state) != now.node.states.has(state));
                match changed {
                    Some(evidence) if flipped => Progress::Met(evidence),
                    other => unexpected_change(other),
                }
            }
            Self::Switched(_) => match changed {
                Some(evidence) if self.is_met(now) => Progress::Met(evidence),
                other => unexpected_change(other),
            },
            Self::HasState(state, _) => {
                if self.is_met(now) {
                    Progress::Met(state_evidence(*state, before, now, what))
                } else if *state == State::Expanded {
                    // Expanding often selects the element as a side effect; the selection alone is
                    // not enough.
                    unexpected_change(
                        changed.filter(|evidence| evidence.kind != EvidenceKind::Selection),
                    )
                } else {
                    unexpected_change(changed)
                }
            }
            Self::InView if now.in_view => {
                let place = |state: &ElementState| match state.node.bounds {
                    Some(at) => format!("{},{}", at.x, at.y),
                    None => "nowhere".to_owned(),
                };
                let what = format!("{what} is in view");
                Progress::Met(Evidence::change(
                    EvidenceKind::Place,
                    what,
                    place(before),
                    place(now),
                ))
            }
            Self::InView => Progress::Pending,
            Self::Text(_) | Self::Number(_) | Self::Choice(_) => {
                match (self.is_met(now), changed) {
                    (true, Some(evidence)) => Progress::Met(evidence),
                    (true, None) => Progress::Met(Evidence::new(
                        EvidenceKind::Value,
                        format!("{what} is as expected"),
                    )),
                    (false, changed) => unexpected_change(
                        changed.filter(|evidence| self.is_about_content(evidence)),
                    ),
                }
            }
        }
    }
}

/// Returns `true` if a switch is on.
fn is_on(node: &Node) -> bool {
    node.states.has(State::Checked) || node.states.has(State::Pressed)
}

/// Reports a change other than the expected one. A moved focus does not count.
fn unexpected_change(changed: Option<Evidence>) -> Progress {
    match changed {
        Some(evidence) if evidence.kind != EvidenceKind::Focus => Progress::Different(evidence),
        Some(_) | None => Progress::Pending,
    }
}

/// Compares numbers with the precision of 32-bit numbers, in which some toolkits store values.
fn is_same_number(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6_f64.max(b.abs() * f64::from(f32::EPSILON))
}

/// Returns the numeric value of an element.
pub(crate) fn number(node: &Node) -> Option<f64> {
    match node.value {
        Some(Value::Number { now, .. }) => Some(now),
        Some(Value::Text { .. } | Value::Secret) | None => None,
    }
}

fn has_text(now: &ElementState, wanted: &str) -> bool {
    match &now.text {
        // The content of a password field is never read, only its length.
        Some(TextContent { secret: true, length, .. }) => *length == wanted.chars().count(),
        Some(text) => {
            // Firefox adds an invisible mark after every emoji; word processors end every text with
            // an extra line feed.
            let text = text.text.replace('\u{feff}', "");
            let wanted = wanted.replace('\u{feff}', "");
            text == wanted || text.strip_suffix('\n') == Some(&wanted)
        }
        None => now.node.text() == Some(wanted),
    }
}

fn shows_choice(now: &ElementState, wanted: &str) -> bool {
    let same = |text: &str| text.trim() == wanted.trim();
    match &now.choice {
        Some(choice) => same(choice),
        None => same(&now.node.name) || now.node.text().is_some_and(same),
    }
}

fn state_evidence(state: State, before: &ElementState, now: &ElementState, what: &str) -> Evidence {
    let word = |element: &ElementState| {
        let not = if element.node.states.has(state) { "" } else { "not " };
        format!("{not}{}", state.word())
    };
    let sign = if state == State::Focused {
        EvidenceKind::Focus
    } else if state == State::Selected {
        EvidenceKind::Selection
    } else {
        EvidenceKind::State
    };
    Evidence::change(sign, what, word(before), word(now))
}

/// States that change by themselves or by being read.
const TRANSIENT_STATES: &[State] =
    &[State::Busy, State::HasTooltip, State::Showing, State::Active, State::Default];

/// Returns `true` if the state only shows that an element is being used. Menus mark the item under
/// the pointer as selected, whether or not its command succeeds.
pub(crate) fn is_feedback(role: Role, state: State) -> bool {
    matches!(role, Role::Menu | Role::MenuBar | Role::MenuItem | Role::PopupMenu)
        && matches!(state, State::Selected | State::Pressed | State::Expanded)
}

/// Returns the most important difference between two states of an element.
fn difference(before: &ElementState, now: &ElementState, what: &str) -> Option<Evidence> {
    if let (Some(was), Some(is)) = (&before.text, &now.text)
        && (was.text != is.text || was.length != is.length)
    {
        return Some(if is.secret {
            let count = |text: &TextContent| format!("{} characters", text.length);
            Evidence::change(EvidenceKind::Text, what, count(was), count(is))
        } else {
            Evidence::change(EvidenceKind::Text, what, &was.text, &is.text)
        });
    }
    let (was, is) = (&before.node, &now.node);
    if was.value != is.value {
        let sign = match is.value {
            Some(Value::Number { .. }) => EvidenceKind::Value,
            Some(Value::Text { .. } | Value::Secret) | None => EvidenceKind::Text,
        };
        return Some(Evidence::change(
            sign,
            what,
            format_value(&was.value),
            format_value(&is.value),
        ));
    }
    if before.choice != now.choice {
        let shown = |choice: &Option<String>| choice.clone().unwrap_or_default();
        let (was, is) = (shown(&before.choice), shown(&now.choice));
        return Some(Evidence::change(EvidenceKind::Selection, what, was, is));
    }
    if was.name != is.name {
        return Some(Evidence::change(EvidenceKind::Title, what, &was.name, &is.name));
    }
    let changed: Vec<State> = State::ALL
        .iter()
        .copied()
        .filter(|state| !TRANSIENT_STATES.contains(state))
        .filter(|state| !is_feedback(is.role, *state))
        .filter(|state| was.states.has(*state) != is.states.has(*state))
        .collect();
    let first = changed.iter().find(|state| **state != State::Focused).or(changed.first())?;
    Some(state_evidence(*first, before, now, what))
}

/// Formats a value for evidence.
pub(crate) fn format_value(value: &Option<Value>) -> String {
    match value {
        Some(Value::Text { text, .. }) => text.clone(),
        Some(Value::Number { now, .. }) => now.to_string(),
        Some(Value::Secret) => "(secret)".to_owned(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use deskhand_model::NodeId;

    use super::*;

    fn state(states: &[State]) -> ElementState {
        let mut node = Node::new(NodeId::new("x"), Role::CheckBox);
        node.states = states.iter().copied().collect();
        ElementState { node, text: None, choice: None, in_view: false }
    }

    #[test]
    fn a_focused_check_box_is_not_toggled() {
        let (before, focused) = (state(&[]), state(&[State::Focused]));
        assert_eq!(Expectation::Toggled.progress(&before, &focused, "x"), Progress::Pending);
        let checked = state(&[State::Focused, State::Checked]);
        let progress = Expectation::Toggled.progress(&before, &checked, "x");
        assert_eq!(
            progress,
            Progress::Met(Evidence::change(EvidenceKind::State, "x", "not checked", "checked"))
        );
    }

    #[test]
    fn a_selected_item_is_not_opened() {
        let (before, selected) = (state(&[]), state(&[State::Selected]));
        assert_eq!(
            Expectation::MoreThanSelection.progress(&before, &selected, "x"),
            Progress::Pending
        );
        assert_eq!(Expectation::Opening.progress(&before, &selected, "x"), Progress::Pending);
        assert!(matches!(
            Expectation::AnyChange.progress(&before, &selected, "x"),
            Progress::Met(_)
        ));
    }

    #[test]
    fn a_wrong_number_is_a_different_change() {
        let at = |now: f64| {
            let mut state = state(&[]);
            state.node.value = Some(Value::Number { now, min: 0.0, max: 9.0, step: 1.0 });
            state
        };
        let expectation = Expectation::Number(7.0);
        assert!(matches!(expectation.progress(&at(1.0), &at(7.0), "x"), Progress::Met(_)));
        assert!(matches!(expectation.progress(&at(1.0), &at(3.0), "x"), Progress::Different(_)));
        assert_eq!(expectation.progress(&at(1.0), &at(1.0), "x"), Progress::Pending);
    }

    #[test]
    fn only_the_complete_text_meets_the_expectation() {
        let at = |text: &str| ElementState {
            text: Some(TextContent {
                text: text.to_owned(),
                caret: None,
                selected: None,
                length: text.chars().count(),
                secret: false,
            }),
            ..state(&[])
        };
        let expectation = Expectation::Text("abc".to_owned());
        assert!(matches!(expectation.progress(&at(""), &at("abc\n"), "x"), Progress::Met(_)));
        assert!(matches!(expectation.progress(&at(""), &at("ab"), "x"), Progress::Different(_)));
    }

    #[test]
    fn a_label_that_shows_the_selection_is_no_proof_of_a_double_click() {
        let label = Evidence::change(EvidenceKind::Title, "label \"List\"", "List", "List Cherry");
        assert!(Expectation::MoreThanSelection.accepts_evidence(&label));
        assert!(!Expectation::Opening.accepts_evidence(&label));
        assert!(!Expectation::Opening.accepts_evidence(&Evidence::change(
            EvidenceKind::State,
            "x",
            "disabled",
            "enabled"
        )));
        assert!(Expectation::Opening.accepts_evidence(&Evidence::change(
            EvidenceKind::State,
            "x",
            "collapsed",
            "expanded"
        )));
        assert!(
            Expectation::Opening
                .accepts_evidence(&Evidence::new(EvidenceKind::Window, "window \"Cherry\" opened"))
        );
    }

    #[test]
    fn goals_are_compared_exactly() {
        let with_value = |now: f64| {
            let mut element = state(&[]);
            element.node.value = Some(Value::Number { now, min: 0.0, max: 1e6, step: 1.0 });
            element
        };
        assert!(!Expectation::Number(200_000.0).is_met(&with_value(200_002.0)));
        assert!(Expectation::Number(0.1).is_met(&with_value(f64::from(0.1_f32))));
        let text = String::new();
        let emptied = TextContent { text, caret: None, selected: None, length: 0, secret: false };
        let empty = ElementState { text: Some(emptied), ..with_value(0.0) };
        assert!(!Expectation::Number(0.0).is_met(&empty), "an empty spin button shows no number");
        let choice = |text: &str| ElementState { choice: Some(text.to_owned()), ..state(&[]) };
        assert!(!Expectation::Choice("MB".to_owned()).is_met(&choice("mb")));
        assert!(Expectation::Choice("MB".to_owned()).is_met(&choice(" MB")));
        let mixed = state(&[State::Mixed]);
        assert!(!Expectation::Switched(false).is_met(&mixed), "half of it is on");
    }

    #[test]
    fn becoming_the_default_button_is_no_effect() {
        let (before, pressed) = (state(&[]), state(&[State::Default, State::Focused]));
        assert_eq!(Expectation::AnyChange.progress(&before, &pressed, "x"), Progress::Pending);
    }
}
