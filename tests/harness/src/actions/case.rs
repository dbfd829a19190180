//! What one cell of the matrix is: an action on a widget, and what the app must tell of it.

use serde_json::Value;

/// Where the app's window is while it is acted on.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Situation {
    /// Visible beside the window the person works in.
    Background,
    /// Wholly under the window the person works in.
    Covered,
    /// Minimized.
    Minimized,
    /// Brought to the front and driven by real input.
    Focus,
}

impl Situation {
    /// All of them.
    pub const ALL: [Self; 4] = [Self::Background, Self::Covered, Self::Minimized, Self::Focus];

    /// Its name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Self::Background => "background",
            Self::Covered => "covered",
            Self::Minimized => "minimized",
            Self::Focus => "focus",
        }
    }
}

/// How far an action can get, whoever tries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Feasibility {
    /// Possible through accessibility, and its effect can be seen there.
    Possible,
    /// Possible, but nothing a reader of the tree can see comes of it.
    Invisible,
    /// Silent beside labels that change all the time: what they show is no proof.
    AmbientChanges,
    /// Only a real pointer or keyboard can do it.
    NeedsRealInput,
    /// Cannot happen at all.
    Impossible,
}

/// The value an event must carry.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum ExpectedValue {
    /// Whatever it is.
    Anything,
    /// On or off.
    Flag(bool),
    /// This number.
    Number(f64),
    /// A number above this.
    Above(f64),
    /// A number below this.
    Below(f64),
    /// This text.
    Text(&'static str),
    /// These items and no others.
    Items(&'static [&'static str]),
    /// A branch of the tree, and whether it is open now.
    Branch(&'static str, bool),
}

impl ExpectedValue {
    /// Whether a value is what was asked for.
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

/// What the app itself must tell when an action landed.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ExpectedEvent {
    /// The widget, as the window calls it.
    pub widget: &'static str,
    /// The event.
    pub event: &'static str,
    /// Its value.
    pub value: ExpectedValue,
}

/// What the window is told to do before the action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Preparation {
    /// Nothing: it is as it was at its start.
    Initial,
    /// Everything that has two states is in the other one.
    Toggled,
    /// Labels change all the time.
    TickingLabels,
    /// Its dialog is open.
    DialogOpen,
}

/// One action on one widget, the same in every toolkit and situation.
#[derive(Debug, Clone, Copy)]
pub struct Case {
    /// The kind of widget.
    pub widget: &'static str,
    /// The action, as tables call it.
    pub action: &'static str,
    /// The words of the command; `@name` stands for the query of that widget.
    pub command: &'static [&'static str],
    /// What the window is told first.
    pub preparation: Preparation,
    /// What the app must tell when it landed; what must never happen when it cannot.
    pub expected: ExpectedEvent,
    /// How far it can get.
    pub feasibility: Feasibility,
}

impl Case {
    /// Whether its command can be told to use real input; `drag` always does.
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
        assert!(ExpectedValue::Number(42.0).matches(&json!(42)) && !ExpectedValue::Number(42.0).matches(&json!("42")));
        assert!(ExpectedValue::Items(&["a", "b"]).matches(&json!(["a", "b"])));
        assert!(!ExpectedValue::Items(&["a"]).matches(&json!(["a", "b"])));
        assert!(ExpectedValue::Branch("Animals", true).matches(&json!(["Animals", true])));
        assert!(!ExpectedValue::Flag(true).matches(&json!(false)) && ExpectedValue::Above(10.0).matches(&json!(11)));
    }
}
