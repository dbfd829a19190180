//! Platform-neutral states of an element.

use std::fmt;

macro_rules! states {
    ($($variant:ident = $bit:literal, $word:literal;)*) => {
        /// One state an element can be in.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[allow(missing_docs)] // The names are self-explanatory.
        pub enum State { $($variant = $bit,)* }

        impl State {
            /// All states.
            pub const ALL: &[State] = &[$(State::$variant,)*];

            /// Returns the name used in outlines and JSON.
            pub fn word(self) -> &'static str {
                match self { $(State::$variant => $word,)* }
            }
        }
    };
}

states! {
    Enabled = 0, "enabled";
    Visible = 1, "visible";
    Showing = 2, "showing";
    Focusable = 3, "focusable";
    Focused = 4, "focused";
    Selectable = 5, "selectable";
    Selected = 6, "selected";
    Checkable = 7, "checkable";
    Checked = 8, "checked";
    Mixed = 9, "mixed";
    Pressed = 10, "pressed";
    Expandable = 11, "expandable";
    Expanded = 12, "expanded";
    Collapsed = 13, "collapsed";
    Editable = 14, "editable";
    ReadOnly = 15, "read-only";
    MultiLine = 16, "multi-line";
    MultiSelectable = 17, "multi-selectable";
    Modal = 18, "modal";
    Active = 19, "active";
    Busy = 20, "busy";
    Required = 21, "required";
    Invalid = 22, "invalid";
    Visited = 23, "visited";
    HasPopup = 24, "has-popup";
    Default = 25, "default";
    Minimized = 26, "minimized";
    Horizontal = 27, "horizontal";
    Vertical = 28, "vertical";
    Resizable = 29, "resizable";
    ManagesDescendants = 30, "manages-descendants";
    Transient = 31, "transient";
    Truncated = 32, "truncated";
    Defunct = 33, "defunct";
    HasTooltip = 34, "has-tooltip";
    Autocompletes = 35, "autocompletes";
}

/// A set of states, stored as bits of one integer.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Default)]
pub struct States(u64);

impl States {
    /// The empty set.
    pub const NONE: States = States(0);

    /// Returns `true` if the state is in the set.
    pub fn has(self, state: State) -> bool {
        self.0 & (1 << state as u64) != 0
    }

    /// Returns the set with `state` added.
    #[must_use]
    pub fn with(self, state: State) -> Self {
        States(self.0 | 1 << state as u64)
    }

    /// Returns the set with `state` removed.
    #[must_use]
    pub fn without(self, state: State) -> Self {
        States(self.0 & !(1 << state as u64))
    }

    /// Iterates over the states in the set, in a fixed order.
    pub fn iter(self) -> impl Iterator<Item = State> {
        State::ALL.iter().copied().filter(move |state| self.has(*state))
    }
}

impl FromIterator<State> for States {
    fn from_iter<I: IntoIterator<Item = State>>(states: I) -> Self {
        states.into_iter().fold(Self::NONE, Self::with)
    }
}

impl fmt::Debug for States {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.iter().map(State::word)).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_set_contains_exactly_the_added_states() {
        let set: States = [State::Checked, State::Modal].into_iter().collect();
        for state in State::ALL {
            assert_eq!(set.has(*state), matches!(state, State::Checked | State::Modal));
        }
        assert_eq!(set.without(State::Modal).iter().collect::<Vec<_>>(), [State::Checked]);
    }

    #[test]
    fn no_two_states_share_a_bit() {
        let all: States = State::ALL.iter().copied().collect();
        assert_eq!(all.iter().count(), State::ALL.len());
    }
}
