//! The states worth a word: those that set an element apart.

use super::kinds;
use crate::{Node, Role, State, States};

/// The informative states of an element, as words.
pub(crate) fn words(node: &Node) -> Vec<&'static str> {
    let has = |state| node.states.has(state);
    let role = node.role;
    let mut words = Vec::new();
    let mut say = |word, when: bool| {
        if when && !words.contains(&word) {
            words.push(word);
        }
    };
    say("disabled", role.is_control() && !has(State::Enabled));
    say("pressed", has(State::Pressed) || role == Role::ToggleButton && has(State::Checked));
    say("checked", has(State::Checked) && role != Role::ToggleButton);
    say("mixed", has(State::Mixed));
    say("selected", has(State::Selected));
    say("expanded", has(State::Expanded));
    let can_open = has(State::Collapsed) || has(State::Expandable) && !has(State::Expanded);
    say("collapsed", can_open && !kinds::has_popup(role));
    say("focused", has(State::Focused));
    say("busy", has(State::Busy));
    say("required", has(State::Required));
    say("invalid", has(State::Invalid));
    let fixed = has(State::ReadOnly) || !has(State::Editable);
    say("read-only", kinds::is_text_box(role) && has(State::Enabled) && fixed);
    say("modal", has(State::Modal));
    say("minimized", has(State::Minimized));
    say("active", has(State::Active) && role.is_window());
    words
}

/// The words that are gone and the words that are new, where a change of states is worth telling.
pub(crate) fn difference(before: States, after: States) -> (Vec<&'static str>, Vec<&'static str>) {
    const TOLD: &[State] = &[
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
        let states = TOLD.iter().filter(|state| one.has(**state) && !other.has(**state));
        states.map(|state| state.word()).collect()
    };
    let mut lost = only_in(before, after);
    let mut won = only_in(after, before);
    for (state, opposite) in [("enabled", "disabled"), ("expanded", "collapsed")] {
        if lost.contains(&state) {
            lost.retain(|word| *word != state);
            won.push(opposite);
        }
    }
    (lost, won)
}
