//! The parts of a test case: an action on a widget and the event that the app must report.

use serde_json::Value;

/// The position of the app's window during the action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Situation {
    /// Visible next to the user's window.
    Background,
    /// Completely covered by the user's window.
    Covered,
    /// Minimized.
    Minimized,
    /// In front and driven by real input.
    Focus,
}

impl Situation {
    /// Every value.
    pub const ALL: [Self; 4] = [Self::Background, Self::Covered, Self::Minimized, Self::Focus];

    /// Returns the name used in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Background => "background",
            Self::Covered => "covered",
            Self::Minimized => "minimized",
            Self::Focus => "focus",
        }
    }
}

/// The best possible outcome of an action for any tool.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feasibility {
    /// The action works through accessibility and its effect is visible in the tree.
    Possible,
    /// The action works, but its effect is not visible in the tree.
    Invisible,
    /// Like [`Self::Invisible`], next to labels that change all the time. Their changes prove
    /// nothing.
    AmbientChanges,
    /// Only a real pointer or keyboard can perform the action.
    NeedsRealInput,
    /// The action cannot succeed.
    Impossible,
}

/// The value that an event must carry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ExpectedValue {
    /// Any value.
    Anything,
    /// A boolean.
    Flag(bool),
    /// This number, within 0.01.
    Number(f64),
    /// A number greater than this.
    Above(f64),
    /// A number less than this.
    Below(f64),
    /// This text.
    Text(&'static str),
    /// Exactly these items.
    Items(&'static [&'static str]),
    /// A tree branch and its expanded state.
    Branch(&'static str, bool),
}

impl ExpectedValue {
    /// Returns `true` if a value matches.
    pub fn matches(self, value: &Value) -> bool {
        match self {
            Self::Anything => true,
            Self::Flag(expected) => value.as_bool() == Some(expected),
            Self::Number(expected) => value.as_f64().is_some_and(|it| (it - expected).abs() < 0.01),
            Self::Above(least) => value.as_f64().is_some_and(|it| it > least),
            Self::Below(most) => value.as_f64().is_some_and(|it| it < most),
            Self::Text(expected) => value.as_str() == Some(expected),
            Self::Items(expected) => value.as_array().is_some_and(|all| {
                all.len() == expected.len()
                    && all.iter().zip(expected).all(|(one, want)| one.as_str() == Some(want))
            }),
            Self::Branch(name, open) => {
                value[0].as_str() == Some(name) && value[1].as_bool() == Some(open)
            }
        }
    }
}

/// The event that the app must report when the action succeeded.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpectedEvent {
    /// The widget id in the app's log.
    pub widget: &'static str,
    /// The event name.
    pub event: &'static str,
    /// The event value.
    pub value: ExpectedValue,
}

/// A state of the window before the action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preparation {
    /// The state after `reset`.
    Initial,
    /// Every widget with two states is in its second state.
    Toggled,
    /// Some labels change all the time.
    TickingLabels,
    /// The window's dialog is open.
    DialogOpen,
}

/// One action on one widget. It is the same in every toolkit and situation.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// The kind of widget.
    pub widget: &'static str,
    /// The name of the action in tables.
    pub action: &'static str,
    /// The command-line arguments. `@name` stands for the query of that widget.
    pub command: &'static [&'static str],
    /// The state of the window before the action.
    pub preparation: Preparation,
    /// The event that proves success. If the action is impossible, this event must not occur.
    pub expected: ExpectedEvent,
    /// The best possible outcome.
    pub feasibility: Feasibility,
}

impl Case {
    /// Returns `true` if the command accepts `--mode focus`. `drag` always uses real input.
    pub fn takes_mode(&self) -> bool {
        ["click", "act", "type", "scroll", "focus", "drag"].contains(&self.command[0])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn values_are_compared_by_kind() {
        assert!(
            ExpectedValue::Number(42.0).matches(&json!(42))
                && !ExpectedValue::Number(42.0).matches(&json!("42"))
        );
        assert!(ExpectedValue::Items(&["a", "b"]).matches(&json!(["a", "b"])));
        assert!(!ExpectedValue::Items(&["a"]).matches(&json!(["a", "b"])));
        assert!(ExpectedValue::Branch("Animals", true).matches(&json!(["Animals", true])));
        assert!(
            !ExpectedValue::Flag(true).matches(&json!(false))
                && ExpectedValue::Above(10.0).matches(&json!(11))
        );
    }
}
