//! The conditions that an element must meet before an action.

use deskhand_model::{Advice, Step};

/// A condition that an element must meet before an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Condition {
    /// The user can see it.
    Visible,
    /// It is enabled.
    Enabled,
    /// It accepts text.
    Editable,
    /// It does not move.
    Stable,
    /// No other window covers it.
    Uncovered,
    /// No dialog blocks it.
    Unblocked,
    /// It has the keyboard focus.
    Focused,
}

impl Condition {
    pub(super) fn unmet(self) -> &'static str {
        match self {
            Self::Visible => "it is not visible",
            Self::Enabled => "it is disabled",
            Self::Editable => "it does not accept text",
            Self::Stable => "it is moving",
            Self::Uncovered => "it is covered",
            Self::Unblocked => "a dialog blocks it",
            Self::Focused => "it does not have the focus",
        }
    }

    pub(super) fn advice(self) -> Advice {
        match self {
            Self::Visible => Advice::from(
                "bring it into view first (another tab, a closed section, scrolling), or ",
            )
            .step(Step::RaiseTimeout),
            Self::Enabled => Advice::from("enable it first, or ").step(Step::RaiseTimeout),
            Self::Editable => "it is read-only or not a text field: choose another element".into(),
            Self::Stable => {
                Advice::from("wait until the animation ends, or ").step(Step::RaiseTimeout)
            }
            Self::Uncovered => Advice::from("move or minimize the window above, or use ")
                .step(Step::BackgroundMode),
            Self::Unblocked => "answer the dialog first".into(),
            Self::Focused => "name the element to type into".into(),
        }
    }
}
