//! Maps AT-SPI states to states.

use deskhand_model::{State, States};

/// The AT-SPI state bits and their states.
const TABLE: &[(u32, State)] = &[
    (1, State::Active),
    (3, State::Busy),
    (4, State::Checked),
    (5, State::Collapsed),
    (6, State::Defunct),
    (7, State::Editable),
    (8, State::Enabled),
    (9, State::Expandable),
    (10, State::Expanded),
    (11, State::Focusable),
    (12, State::Focused),
    (13, State::HasTooltip),
    (14, State::Horizontal),
    (15, State::Minimized),
    (16, State::Modal),
    (17, State::MultiLine),
    (18, State::MultiSelectable),
    (20, State::Pressed),
    (21, State::Resizable),
    (22, State::Selectable),
    (23, State::Selected),
    // An element that is not sensitive cannot be used even if it is enabled; GTK 4.8 sets only this
    // bit.
    (24, State::Enabled),
    (25, State::Showing),
    (28, State::Transient),
    (29, State::Vertical),
    (30, State::Visible),
    (31, State::ManagesDescendants),
    (32, State::Mixed),
    (33, State::Required),
    (34, State::Truncated),
    (36, State::Invalid),
    (37, State::Autocompletes),
    (39, State::Default),
    (40, State::Visited),
    (41, State::Checkable),
    (42, State::HasPopup),
    (43, State::ReadOnly),
];

/// Returns the states in a pair of AT-SPI state words.
pub(crate) fn from_words(words: &[u32]) -> States {
    let bit = |number: u32| {
        words.get(number as usize / 32).is_some_and(|word| word & (1 << (number % 32)) != 0)
    };
    TABLE.iter().filter(|(number, _)| bit(*number)).map(|(_, state)| *state).collect()
}

/// Returns the state with AT-SPI's event name, such as `checked` or `read-only`.
pub(crate) fn from_event_name(name: &str) -> Option<State> {
    match name {
        "sensitive" => Some(State::Enabled),
        "iconified" => Some(State::Minimized),
        "indeterminate" => Some(State::Mixed),
        "invalid-entry" => Some(State::Invalid),
        "is-default" => Some(State::Default),
        "multiselectable" => Some(State::MultiSelectable),
        "supports-autocompletion" => Some(State::Autocompletes),
        other => State::ALL.iter().copied().find(|state| state.word() == other),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn both_words_are_read() {
        let states = from_words(&[1 << 4, 1 << (43 - 32)]);
        assert_eq!(states.iter().collect::<Vec<_>>(), [State::Checked, State::ReadOnly]);
    }

    #[test]
    fn a_short_reply_contains_no_states() {
        assert_eq!(from_words(&[]), States::NONE);
    }

    #[test]
    fn every_state_has_an_atspi_bit() {
        let all = from_words(&[u32::MAX, u32::MAX]);
        assert_eq!(all.iter().count(), State::ALL.len());
    }
}
