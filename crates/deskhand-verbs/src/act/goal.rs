//! What an action is meant to bring about, and whether an element shows that it did.

use deskhand_model::{Event, Node, State, Value};
use deskhand_platform::Text;

use super::signs;
use crate::effect::{Evidence, Sign};

/// What should be so afterwards.
#[derive(Debug, Clone, PartialEq)]
pub enum Goal {
    /// Something happened, anything.
    Happens,
    /// Something happened beside a selection.
    Opens,
    /// More happened than a single click brings about: apps tell of a selection in labels, too, and
    /// enable buttons for it, before the second of two clicks is there.
    Doubles,
    /// One of these states is no longer as it was: a check box that is clicked.
    Flips,
    /// A state is as wanted.
    Is(State, bool),
    /// It is on or off. Toolkits are of two minds whether that is checked or pressed.
    Switched(bool),
    /// The text is this, whole.
    Holds(String),
    /// The number is this.
    Counts(f64),
    /// The element shows this choice, in its value, its name or its selected item.
    Shows(String),
    /// A person can see it.
    InView,
}

/// What may prove a goal that does not say exactly what should be.
enum Proof {
    Anything,
    BesideSelection,
    Opening,
}

/// How an element stands to a goal.
#[derive(Debug, Clone, PartialEq)]
pub enum Standing {
    /// Reached.
    Reached(Evidence),
    /// Something changed, but not into what was wanted.
    Astray(Evidence),
    /// Nothing to be seen yet.
    NotYet,
}

/// An element at one moment, as far as a goal needs it.
#[derive(Debug, Clone, PartialEq)]
pub struct Moment {
    /// The element.
    pub node: Node,
    /// Its text, read whole.
    pub text: Option<Text>,
    /// What it shows as its choice.
    pub choice: Option<String>,
    /// Whether a person could see it where it is; known only when that is the goal.
    pub in_view: bool,
}

impl Goal {
    /// Whether the goal says so exactly what should be that its absence proves nothing happened.
    pub fn is_exact(&self) -> bool {
        match self {
            Self::Happens | Self::Opens | Self::Doubles => false,
            Self::Flips
            | Self::Is(..)
            | Self::Switched(_)
            | Self::Holds(_)
            | Self::Counts(_)
            | Self::Shows(_)
            | Self::InView => true,
        }
    }

    /// Whether something that was seen speaks for the goal, where anything may.
    pub fn takes(&self, evidence: &Evidence) -> bool {
        match self.proof() {
            Proof::Anything => true,
            Proof::BesideSelection => !evidence.is_selection(),
            Proof::Opening => evidence.is_opening(),
        }
    }

    /// Whether an event of the element itself speaks for the goal, where anything may.
    pub fn hears(&self, event: &Event) -> bool {
        match self.proof() {
            Proof::Anything => true,
            Proof::BesideSelection => !signs::is_selection(event),
            Proof::Opening => false,
        }
    }

    fn proof(&self) -> Proof {
        match self {
            Self::Opens => Proof::BesideSelection,
            Self::Doubles => Proof::Opening,
            Self::Happens
            | Self::Flips
            | Self::Is(..)
            | Self::Switched(_)
            | Self::Holds(_)
            | Self::Counts(_)
            | Self::Shows(_)
            | Self::InView => Proof::Anything,
        }
    }

    /// Whether the whole text must be read to judge.
    pub fn needs_text(&self) -> bool {
        matches!(self, Self::Holds(_))
    }

    /// Whether the goal is reached before anything was done.
    pub fn is_reached(&self, now: &Moment) -> bool {
        match self {
            Self::Happens | Self::Opens | Self::Doubles | Self::Flips => false,
            Self::Is(state, wanted) => now.node.states.has(*state) == *wanted,
            Self::Switched(wanted) => is_on(&now.node) == *wanted,
            Self::Holds(wanted) => holds(now, wanted),
            Self::Counts(wanted) => number(&now.node).is_some_and(|now| same(now, *wanted)),
            Self::Shows(wanted) => shows(now, wanted),
            Self::InView => now.in_view,
        }
    }

    /// How an element stands to the goal, given how it was.
    pub fn standing(&self, before: &Moment, now: &Moment, what: &str) -> Standing {
        let changed = difference(before, now, what);
        match self {
            // Acting on an element moves the focus by the way, whether it does anything or not.
            Self::Happens | Self::Opens | Self::Doubles => changed
                .filter(|evidence| evidence.sign != Sign::Focus && self.takes(evidence))
                .map_or(Standing::NotYet, Standing::Reached),
            Self::Flips => {
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
                    Some(evidence) if flipped => Standing::Reached(evidence),
                    other => beside(other),
                }
            }
            Self::Switched(_) => match changed {
                Some(evidence) if self.is_reached(now) => Standing::Reached(evidence),
                other => beside(other),
            },
            Self::Is(state, _) => {
                if self.is_reached(now) {
                    Standing::Reached(state_evidence(*state, before, now, what))
                } else if *state == State::Expanded {
                    // What is opened is often selected by the way; that alone is not what was asked.
                    beside(changed.filter(|evidence| evidence.sign != Sign::Selection))
                } else {
                    beside(changed)
                }
            }
            Self::InView if now.in_view => {
                let place = |moment: &Moment| match moment.node.bounds {
                    Some(at) => format!("{},{}", at.x, at.y),
                    None => "nowhere".to_owned(),
                };
                let what = format!("{what} is in view");
                Standing::Reached(Evidence::change(Sign::Place, what, place(before), place(now)))
            }
            Self::InView => Standing::NotYet,
            Self::Holds(_) | Self::Counts(_) | Self::Shows(_) => {
                match (self.is_reached(now), changed) {
                    (true, Some(evidence)) => Standing::Reached(evidence),
                    (true, None) => {
                        Standing::Reached(Evidence::of(Sign::Value, format!("{what} is as wanted")))
                    }
                    (false, changed) => {
                        beside(changed.filter(|evidence| evidence.sign != Sign::State))
                    }
                }
            }
        }
    }
}

/// Whether something that can be on is.
fn is_on(node: &Node) -> bool {
    node.states.has(State::Checked) || node.states.has(State::Pressed)
}

/// A change that is not the one wanted; that the focus moved is none.
fn beside(changed: Option<Evidence>) -> Standing {
    match changed {
        Some(evidence) if evidence.sign != Sign::Focus => Standing::Astray(evidence),
        Some(_) | None => Standing::NotYet,
    }
}

/// Toolkits round numbers to their step; a hundred-thousandth of the number is no difference.
fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= 1e-6_f64.max(b.abs() * 1e-5)
}

/// The number an element holds.
pub(super) fn number(node: &Node) -> Option<f64> {
    match node.value {
        Some(Value::Number { now, .. }) => Some(now),
        Some(Value::Text { .. } | Value::Secret) | None => None,
    }
}

fn holds(now: &Moment, wanted: &str) -> bool {
    match &now.text {
        // What is in a password field is never read; its length is.
        Some(Text { secret: true, length, .. }) => *length == wanted.chars().count(),
        Some(text) => {
            // Firefox puts an invisible mark behind every emoji, word processors end every text by
            // a line feed of their own.
            let text = text.text.replace('\u{feff}', "");
            let wanted = wanted.replace('\u{feff}', "");
            text == wanted || text.strip_suffix('\n') == Some(&wanted)
        }
        None => now.node.text() == Some(wanted),
    }
}

fn shows(now: &Moment, wanted: &str) -> bool {
    let same = |text: &str| text.trim().eq_ignore_ascii_case(wanted.trim());
    match &now.choice {
        Some(choice) => same(choice),
        None => same(&now.node.name) || now.node.text().is_some_and(same),
    }
}

fn state_evidence(state: State, before: &Moment, now: &Moment, what: &str) -> Evidence {
    let word = |moment: &Moment| {
        let not = if moment.node.states.has(state) { "" } else { "not " };
        format!("{not}{}", state.word())
    };
    let sign = if state == State::Focused {
        Sign::Focus
    } else if state == State::Selected {
        Sign::Selection
    } else {
        Sign::State
    };
    Evidence::change(sign, what, word(before), word(now))
}

/// States that come and go by themselves or by looking.
const PASSING: &[State] = &[State::Busy, State::HasTooltip, State::Showing, State::Active];

/// What is different about an element, if anything.
fn difference(before: &Moment, now: &Moment, what: &str) -> Option<Evidence> {
    if let (Some(was), Some(is)) = (&before.text, &now.text)
        && (was.text != is.text || was.length != is.length)
    {
        return Some(if is.secret {
            let count = |text: &Text| format!("{} characters", text.length);
            Evidence::change(Sign::Text, what, count(was), count(is))
        } else {
            Evidence::change(Sign::Text, what, &was.text, &is.text)
        });
    }
    let (was, is) = (&before.node, &now.node);
    if was.value != is.value {
        let sign = match is.value {
            Some(Value::Number { .. }) => Sign::Value,
            Some(Value::Text { .. } | Value::Secret) | None => Sign::Text,
        };
        return Some(Evidence::change(sign, what, printed(&was.value), printed(&is.value)));
    }
    if before.choice != now.choice {
        let shown = |choice: &Option<String>| choice.clone().unwrap_or_default();
        let (was, is) = (shown(&before.choice), shown(&now.choice));
        return Some(Evidence::change(Sign::Selection, what, was, is));
    }
    if was.name != is.name {
        return Some(Evidence::change(Sign::Title, what, &was.name, &is.name));
    }
    let changed: Vec<State> = State::ALL
        .iter()
        .copied()
        .filter(|state| !PASSING.contains(state))
        .filter(|state| was.states.has(*state) != is.states.has(*state))
        .collect();
    let first = changed.iter().find(|state| **state != State::Focused).or(changed.first())?;
    Some(state_evidence(*first, before, now, what))
}

/// A value in words.
pub(super) fn printed(value: &Option<Value>) -> String {
    match value {
        Some(Value::Text { text, .. }) => text.clone(),
        Some(Value::Number { now, .. }) => now.to_string(),
        Some(Value::Secret) => "(secret)".to_owned(),
        None => String::new(),
    }
}

#[cfg(test)]
mod tests {
    use deskhand_model::{NodeId, Role};

    use super::*;

    fn moment(states: &[State]) -> Moment {
        let mut node = Node::new(NodeId::new("x"), Role::CheckBox);
        node.states = states.iter().copied().collect();
        Moment { node, text: None, choice: None, in_view: false }
    }

    #[test]
    fn a_check_box_that_only_got_the_focus_was_not_toggled() {
        let (before, focused) = (moment(&[]), moment(&[State::Focused]));
        assert_eq!(Goal::Flips.standing(&before, &focused, "x"), Standing::NotYet);
        let checked = moment(&[State::Focused, State::Checked]);
        let standing = Goal::Flips.standing(&before, &checked, "x");
        assert_eq!(
            standing,
            Standing::Reached(Evidence::change(Sign::State, "x", "not checked", "checked"))
        );
    }

    #[test]
    fn an_item_that_was_only_selected_was_not_opened() {
        let (before, selected) = (moment(&[]), moment(&[State::Selected]));
        assert_eq!(Goal::Opens.standing(&before, &selected, "x"), Standing::NotYet);
        assert_eq!(Goal::Doubles.standing(&before, &selected, "x"), Standing::NotYet);
        assert!(matches!(Goal::Happens.standing(&before, &selected, "x"), Standing::Reached(_)));
    }

    #[test]
    fn a_number_that_moved_elsewhere_went_astray() {
        let at = |now: f64| {
            let mut moment = moment(&[]);
            moment.node.value = Some(Value::Number { now, min: 0.0, max: 9.0, step: 1.0 });
            moment
        };
        let goal = Goal::Counts(7.0);
        assert!(matches!(goal.standing(&at(1.0), &at(7.0), "x"), Standing::Reached(_)));
        assert!(matches!(goal.standing(&at(1.0), &at(3.0), "x"), Standing::Astray(_)));
        assert_eq!(goal.standing(&at(1.0), &at(1.0), "x"), Standing::NotYet);
    }

    #[test]
    fn a_text_is_reached_only_whole() {
        let at = |text: &str| Moment {
            text: Some(Text {
                text: text.to_owned(),
                caret: None,
                selected: None,
                length: text.chars().count(),
                secret: false,
            }),
            ..moment(&[])
        };
        let goal = Goal::Holds("abc".to_owned());
        assert!(matches!(goal.standing(&at(""), &at("abc\n"), "x"), Standing::Reached(_)));
        assert!(matches!(goal.standing(&at(""), &at("ab"), "x"), Standing::Astray(_)));
    }

    #[test]
    fn a_label_that_tells_of_a_selection_is_no_second_click() {
        let label = Evidence::change(Sign::Title, "label \"List\"", "List", "List Cherry");
        assert!(Goal::Opens.takes(&label));
        assert!(!Goal::Doubles.takes(&label));
        assert!(!Goal::Doubles.takes(&Evidence::change(Sign::State, "x", "disabled", "enabled")));
        assert!(Goal::Doubles.takes(&Evidence::change(Sign::State, "x", "collapsed", "expanded")));
        assert!(Goal::Doubles.takes(&Evidence::of(Sign::Window, "window \"Cherry\" opened")));
    }
}
