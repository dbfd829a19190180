//! The result of every tool that changes something: what the action did, and the evidence for it.
//!
//! A verb never reports success because an app replied "done". It reads the app before and after the
//! action and states what it observed in an [`ActionOutcome`].

use std::fmt;

use deskhand_model::{Advice, outline::quote};
use schemars::JsonSchema;
use serde::Serialize;

use crate::Style;

/// The number of characters of a value that one line of evidence shows.
const MAX_VALUE_CHARS: usize = 80;

/// The observed effect of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActionEffect {
    /// The action was sent, and the app shows the expected change.
    Confirmed,
    /// The action was sent, and the app shows a part of the expected change or a different one.
    Partial,
    /// The action was sent, but its result could not be verified.
    Unverified,
    /// The action was sent, and the expected change did not happen.
    NoEffect,
    /// The action was not sent.
    Refused,
}

impl ActionEffect {
    /// Returns the word for the effect in JSON and in messages.
    pub fn word(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Partial => "partial",
            Self::Unverified => "unverified",
            Self::NoEffect => "no_effect",
            Self::Refused => "refused",
        }
    }

    /// Returns `true` unless the action certainly had no effect.
    pub fn succeeded(self) -> bool {
        match self {
            Self::Confirmed | Self::Partial | Self::Unverified => true,
            Self::NoEffect | Self::Refused => false,
        }
    }

    /// Returns the style in which the effect is shown.
    pub fn style(self) -> Style {
        match self {
            Self::Confirmed => Style::Value,
            Self::Partial | Self::Unverified => Style::Strong,
            Self::NoEffect | Self::Refused => Style::Warning,
        }
    }
}

/// The kind of change that was observed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EvidenceKind {
    /// A number or another value changed.
    Value,
    /// A text changed.
    Text,
    /// A state changed, such as checked.
    State,
    /// A name changed.
    Title,
    /// The keyboard focus moved.
    Focus,
    /// The selection changed.
    Selection,
    /// Elements appeared, disappeared or moved.
    Elements,
    /// A window or dialog opened or closed.
    Window,
    /// A position or size changed.
    Place,
    /// The app sent an event about the target.
    Event,
    /// The pointer moved.
    Pointer,
    /// The clipboard changed.
    Clipboard,
    /// A program started or ended.
    Process,
}

/// One observed change.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Evidence {
    /// The kind of change.
    #[serde(rename = "sign")]
    pub kind: EvidenceKind,
    /// The thing that changed, in words.
    #[serde(rename = "what")]
    pub subject: String,
    /// Its value before the action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// Its value after the action.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

impl Evidence {
    /// Creates evidence of something that happened.
    pub fn new(kind: EvidenceKind, subject: impl Into<String>) -> Self {
        Self { kind, subject: subject.into(), before: None, after: None }
    }

    /// Creates evidence of a change, with the values before and after it.
    pub fn change(
        kind: EvidenceKind,
        subject: impl Into<String>,
        before: impl Into<String>,
        after: impl Into<String>,
    ) -> Self {
        let (before, after) = (Some(before.into()), Some(after.into()));
        Self { kind, subject: subject.into(), before, after }
    }

    /// Returns `true` if only a selection changed.
    pub fn is_selection(&self) -> bool {
        self.kind == EvidenceKind::Selection
            || matches!(self.after.as_deref(), Some("selected" | "not selected"))
    }

    /// Returns `true` if something opened or closed: a window, a program, a branch, or their contents.
    pub fn is_opening(&self) -> bool {
        matches!(self.kind, EvidenceKind::Window | EvidenceKind::Process | EvidenceKind::Elements)
            || matches!(self.after.as_deref(), Some("expanded" | "not expanded"))
    }

    /// Returns `true` if only the digits of a text changed, as in counters that update themselves.
    pub fn is_counter(&self) -> bool {
        let words = |text: &str| text.replace(|c: char| c.is_ascii_digit() || ".,".contains(c), "");
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => words(before) == words(after),
            (Some(_) | None, _) => false,
        }
    }

    /// Formats the values before and after; empty if neither is known.
    pub fn difference(&self) -> String {
        let shown = |value: &str| quote(value, MAX_VALUE_CHARS);
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => format!("{} -> {}", shown(before), shown(after)),
            (None, Some(after)) => shown(after),
            (Some(before), None) => format!("was {}", shown(before)),
            (None, None) => String::new(),
        }
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", format!("{} {}", self.subject, self.difference()).trim_end())
    }
}

/// A strategy that was tried without effect before another one was used.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct FailedAttempt {
    /// The name of the strategy.
    #[serde(rename = "way")]
    pub strategy: String,
    /// The reason why it had no effect.
    pub why: String,
}

/// The result of an action.
///
/// `effect` is the verdict and `evidence` is its proof. If the effect is not [`Confirmed`], `next_step`
/// usually tells the caller how to proceed.
///
/// [`Confirmed`]: ActionEffect::Confirmed
///
/// # Examples
///
/// ```
/// use deskhand_verbs::effect::{ActionEffect, ActionOutcome, Evidence, EvidenceKind};
///
/// let seen = Evidence::change(EvidenceKind::Value, "slider \"Volume\"", "3", "7");
/// let outcome = ActionOutcome::confirmed("value", seen).on("slider \"Volume\"");
/// assert_eq!(outcome.effect, ActionEffect::Confirmed);
/// ```
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ActionOutcome {
    /// The observed effect: `confirmed`, `partial`, `unverified`, `no_effect` or `refused`.
    pub effect: ActionEffect,
    /// The strategy that was used, such as `action:click`, `text`, `pointer` or `keyboard`.
    pub strategy: String,
    /// The target of the action, in words.
    pub target: Option<String>,
    /// The ref of the target.
    pub element_ref: Option<String>,
    /// The observed changes that prove the effect.
    pub evidence: Vec<Evidence>,
    /// Other changes in the app, one per line, within a size budget.
    pub changes: Vec<String>,
    /// Strategies that were tried before without effect.
    pub failed_attempts: Vec<FailedAttempt>,
    /// The next step to try, if the effect is not certain.
    pub next_step: Option<Advice>,
}

impl ActionOutcome {
    /// Creates an outcome with an effect and a strategy only.
    pub fn new(effect: ActionEffect, strategy: impl Into<String>) -> Self {
        Self {
            effect,
            strategy: strategy.into(),
            target: None,
            element_ref: None,
            evidence: Vec::new(),
            changes: Vec::new(),
            failed_attempts: Vec::new(),
            next_step: None,
        }
    }

    /// Creates an outcome that the given evidence confirms.
    pub fn confirmed(strategy: impl Into<String>, evidence: Evidence) -> Self {
        Self { evidence: vec![evidence], ..Self::new(ActionEffect::Confirmed, strategy) }
    }

    /// Sets the target, in words.
    #[must_use]
    pub fn on(mut self, target: impl Into<String>) -> Self {
        self.target = Some(target.into());
        self
    }

    /// Sets the next step to try.
    #[must_use]
    pub fn with_next_step(mut self, next_step: impl Into<Advice>) -> Self {
        self.next_step = Some(next_step.into());
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_counter_changes_only_in_its_digits() {
        let change = |was: &str, is: &str| Evidence::change(EvidenceKind::Title, "x", was, is);
        assert!(change("3.2 kB/s", "14,1 kB/s").is_counter());
        assert!(!change("3 files", "3 files, saved").is_counter());
        assert!(!Evidence::new(EvidenceKind::Elements, "row 3 appeared").is_counter());
    }
}
