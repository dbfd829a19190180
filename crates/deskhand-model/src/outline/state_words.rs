//! The words for the states that outlines show.

use super::role_groups;
use crate::{Node, Role, State, States};

/// Returns the states worth showing, as words.
pub(crate) fn words(node: &Node) -> Vec<&'static str> {
    let has = |state| node.states.has(state);
    let role = node.role;
    let mut words = Vec::new();
    let mut add = |word, when: bool| {
        if when && !words.contains(&word) {
            words.push(word);
        }
    };
    add("disabled", role.is_control() && !has(State::Enabled));
    add("pressed", has(State::Pressed) || role == Role::ToggleButton && has(State::Checked));
    add("checked", has(State::Checked) && role != Role::ToggleButton);
    add("mixed", has(State::Mixed));
    add("selected", has(State::Selected));
    add("expanded", has(State::Expanded));
    let can_open = has(State::Collapsed) || has(State::Expandable) && !has(State::Expanded);
    add("collapsed", can_open && !role_groups::has_popup(role));
    add("focused", has(State::Focused));
    add("busy", has(State::Busy));
    add("required", has(State::Required));
    add("invalid", has(State::Invalid));
    let fixed = has(State::ReadOnly) || !has(State::Editable);
    add("read-only", role_groups::is_text_box(role) && has(State::Enabled) && fixed);
    add("modal", has(State::Modal));
    add("minimized", has(State::Minimized));
    add("active", has(State::Active) && role.is_window());
    words
}

/// Returns the states that were cleared and those that were set, as words, limited to states worth
/// reporting.
pub(crate) fn difference(before: States, after: States) -> (Vec<&'static str>, Vec<&'static str>) {
    const REPORTED: &[State] = &[
        State::Enabled,
        State::Pressed,
        State::Checked,
        State::Mixed,
        State::Selected,
        State::Expanded,
        State::Focused,
        State::Busy,
        State::Required,
        State::Invalid,
        State::Editable,
        State::ReadOnly,
        State::Modal,
        State::Minimized,
        State::Active,
    ];
    let only_in = |one: States, other: States| -> Vec<&'static str> {
        let states = REPORTED.iter().filter(|state| one.has(**state) && !other.has(**state));
        states.map(|state| state.word()).collect()
    };
    let mut lost = only_in(before, after);
    let mut gained = only_in(after, before);
    for (state, opposite) in [("enabled", "disabled"), ("expanded", "collapsed")] {
        if lost.contains(&state) {
            lost.retain(|word| *word != state);
            gained.push(opposite);
        }
    }
    (lost, gained)
}
