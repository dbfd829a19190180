//! What an action did, and how that is known: the answer of every tool that changes something.

use std::fmt;

use deskhand_model::outline::quote;
use schemars::JsonSchema;
use serde::Serialize;

use crate::{Line, Page, Shown, Style};

/// How many characters of a value one line of evidence shows.
const SHOWN: usize = 80;

/// What became of an action.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Verdict {
    /// Seen in the app: it happened.
    Confirmed,
    /// A part of it was seen to happen.
    Partial,
    /// Sent, and nothing that can be observed tells whether it happened.
    Unverified,
    /// Sent, and what should have changed provably did not.
    NoEffect,
    /// Not sent.
    Refused,
}

impl Verdict {
    /// The word JSON and messages use.
    pub fn word(self) -> &'static str {
        match self {
            Self::Confirmed => "confirmed",
            Self::Partial => "partial",
            Self::Unverified => "unverified",
            Self::NoEffect => "no_effect",
            Self::Refused => "refused",
        }
    }

    /// Whether what was asked for came about, as far as can be told.
    pub fn succeeded(self) -> bool {
        match self {
            Self::Confirmed | Self::Partial | Self::Unverified => true,
            Self::NoEffect | Self::Refused => false,
        }
    }

    fn style(self) -> Style {
        match self {
            Self::Confirmed => Style::Value,
            Self::Partial | Self::Unverified => Style::Strong,
            Self::NoEffect | Self::Refused => Style::Warning,
        }
    }
}

/// The kind of thing that was seen to change.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Sign {
    /// A number or another value.
    Value,
    /// A text.
    Text,
    /// A state, such as checked.
    State,
    /// A name.
    Title,
    /// Who has the keyboard.
    Focus,
    /// What is selected.
    Selection,
    /// Elements came, went or moved.
    Elements,
    /// A window or dialog opened or closed.
    Window,
    /// Where something is, or how large.
    Place,
    /// The app reported that it was pressed.
    Event,
    /// Where the pointer is.
    Pointer,
    /// What was copied.
    Clipboard,
    /// A program came or went.
    Process,
}

/// One thing that was seen.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Evidence {
    /// What kind of thing it is.
    pub sign: Sign,
    /// To what it happened, in words.
    pub what: String,
    /// How it was.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub before: Option<String>,
    /// How it is now.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub after: Option<String>,
}

impl Evidence {
    /// Something seen to happen.
    pub fn of(sign: Sign, what: impl Into<String>) -> Self {
        Self { sign, what: what.into(), before: None, after: None }
    }

    /// The same, with how it was and how it is.
    pub fn change(
        sign: Sign,
        what: impl Into<String>,
        before: impl Into<String>,
        after: impl Into<String>,
    ) -> Self {
        let (before, after) = (Some(before.into()), Some(after.into()));
        Self { sign, what: what.into(), before, after }
    }

    /// Whether it is no more than that something was selected, or is no longer.
    pub fn is_selection(&self) -> bool {
        self.sign == Sign::Selection
            || matches!(self.after.as_deref(), Some("selected" | "not selected"))
    }

    /// Whether something opened or closed: a window, a program, a branch, or what is in them.
    pub fn is_opening(&self) -> bool {
        matches!(self.sign, Sign::Window | Sign::Process | Sign::Elements)
            || matches!(self.after.as_deref(), Some("expanded" | "not expanded"))
    }
}

impl Evidence {
    /// How it was and how it is, in words; empty where neither is known.
    fn difference(&self) -> String {
        match (&self.before, &self.after) {
            (Some(before), Some(after)) => {
                format!("{} -> {}", quote(before, SHOWN), quote(after, SHOWN))
            }
            (None, Some(after)) => quote(after, SHOWN),
            (Some(before), None) => format!("was {}", quote(before, SHOWN)),
            (None, None) => String::new(),
        }
    }
}

impl fmt::Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", format!("{} {}", self.what, self.difference()).trim_end())
    }
}

/// A way that was tried and did nothing before another was taken.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Tried {
    /// The way.
    pub way: String,
    /// What came of it.
    pub why: String,
}

/// What an action did.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, JsonSchema)]
pub struct Done {
    /// Whether it happened: `confirmed`, `partial`, `unverified`, `no_effect` or `refused`.
    pub effect: Verdict,
    /// The way it was done, such as `action:click`, `text`, `pointer`, `keyboard`.
    pub way: String,
    /// What it was done to, in words.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub target: Option<String>,
    /// The ref of what it was done to.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub element_ref: Option<String>,
    /// What was seen.
    pub evidence: Vec<Evidence>,
    /// What else changed in the app, line by line, within a budget.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub changes: Vec<String>,
    /// Ways that did nothing and were tried before.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub tried: Vec<Tried>,
    /// What to try next, when it is not known to have happened.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub escalation: Option<String>,
}

impl Done {
    /// An answer that has only a verdict and a way yet.
    pub fn new(effect: Verdict, way: impl Into<String>) -> Self {
        Self {
            effect,
            way: way.into(),
            target: None,
            element_ref: None,
            evidence: Vec::new(),
            changes: Vec::new(),
            tried: Vec::new(),
            escalation: None,
        }
    }

    /// Confirmed by this evidence.
    pub fn confirmed(way: impl Into<String>, evidence: Evidence) -> Self {
        Self { evidence: vec![evidence], ..Self::new(Verdict::Confirmed, way) }
    }

    /// The same, done to this.
    #[must_use]
    pub fn to(mut self, target: impl Into<String>) -> Self {
        self.target = Some(target.into());
        self
    }

    /// The same, with what to try next.
    #[must_use]
    pub fn or_else(mut self, escalation: impl Into<String>) -> Self {
        self.escalation = Some(escalation.into());
        self
    }
}

impl Shown for Done {
    fn page(&self) -> Page {
        let mut head = Line::new().with(self.effect.style(), self.effect.word());
        if let Some(target) = &self.target {
            head = head.with(Style::Strong, target);
        }
        head = head.with(Style::Handle, self.element_ref.as_deref().unwrap_or_default());
        head = head.with(Style::Faint, format!("by {}", self.way));
        let mut page = Page::default().line(head);
        let inner = || Line { indent: 1, spans: Vec::new() };
        for one in &self.evidence {
            let line = inner().with(Style::Plain, &one.what);
            page = page.line(line.with(Style::Value, one.difference()));
        }
        for line in &self.changes {
            page = page.line(inner().with(Style::Faint, line));
        }
        for tried in &self.tried {
            let words = format!("before that {}: {}", tried.way, tried.why);
            page = page.line(inner().with(Style::Faint, words));
        }
        if let Some(next) = &self.escalation {
            page = page.line(inner().with(Style::Warning, format!("next: {next}")));
        }
        page
    }

    fn succeeded(&self) -> bool {
        self.effect.succeeded()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_says_what_was_seen_and_what_to_try_next() {
        let seen = Evidence::change(Sign::Value, "slider \"Volume\"", "3", "7");
        let page = Done::confirmed("value", seen).to("slider \"Volume\"").page().to_string();
        assert!(page.contains("confirmed") && page.contains("\"3\" -> \"7\""), "{page}");
        let done = Done::new(Verdict::NoEffect, "action:click").or_else("use focus mode");
        assert!(!done.succeeded() && done.page().to_string().contains("next: use focus mode"));
    }
}
