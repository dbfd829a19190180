//! Acts on elements. What an app replies is passed on and believed by nobody.

use std::time::Duration;

use deskhand_model::{App, NodeId, Role};
use deskhand_platform::{Act, Deadline, Error, Reply, Result};

use super::{
    Fault, Value, action,
    room::{MESSAGE, Room, described, lost},
    system::{Answer, Ax},
    utf16,
};

/// How long an element may take to say what it did: an app that opens a dialog answers when the
/// dialog is closed.
const REPLY: Duration = Duration::from_millis(500);

impl<G: Ax> Room<G> {
    /// Does one thing to one element.
    pub(crate) fn act(&self, app: &App, on: &NodeId, act: &Act, by: Deadline) -> Result<Reply> {
        if by.passed() {
            return Err(Error::Timeout { what: described(app) });
        }
        let element = self.element(app, on, by)?;
        let one = One { room: self, app, element: &element, by };
        match act {
            Act::Do(name) => one.do_action(name),
            Act::Focus | Act::FocusQuietly => one.set("focus", "AXFocused", &Value::Flag(true)),
            Act::SetText(text) => one.set("set text", "AXValue", &Value::Text(text.clone())),
            Act::Insert(text) => one.set("type", "AXSelectedText", &Value::Text(text.clone())),
            Act::SetCaret(at) => one.set_caret(on, *at),
            Act::SetNumber(number) => one.set_number(*number),
            Act::Select => one.select(true),
            Act::Deselect => one.select(false),
            Act::SelectOnly => one.select_only(),
            Act::SelectItem(index) => one.select_item(*index),
            Act::SelectNone => one.select_none(),
            Act::Reveal => one.reveal(),
        }
    }
}

/// One element something is done to.
pub(super) struct One<'a, G: Ax> {
    pub(super) room: &'a Room<G>,
    pub(super) app: &'a App,
    pub(super) element: &'a G::Element,
    pub(super) by: Deadline,
}

impl<G: Ax> One<'_, G> {
    /// The same for another element of the app.
    pub(super) fn of<'b>(&'b self, element: &'b G::Element) -> One<'b, G> {
        One { room: self.room, app: self.app, element, by: self.by }
    }

    pub(super) fn lost(&self, fault: Fault) -> Error {
        lost(fault, self.app)
    }

    /// Gives an attribute another value, where it says that it takes one.
    pub(super) fn set(&self, what: &str, name: &str, to: &Value<G::Element>) -> Result<Reply> {
        let may = self.room.may_set(self.element, name, self.by);
        if !may.map_err(|fault| self.lost(fault))? {
            return Err(unsupported(what, &format!("the element does not let its {name} be set")));
        }
        let answer = self.room.ax.set(self.element, name, to, self.by.or_after(REPLY));
        self.said(answer)
    }

    /// What an app said to something it was told to do, having said before that it can.
    pub(super) fn said(&self, answer: Answer<()>) -> Result<Reply> {
        match answer {
            Ok(()) => Ok(Reply::Accepted),
            // It answered a moment ago: what closes its own window may be gone by having done it.
            Err(Fault::CannotComplete | Fault::InvalidElement) => Ok(Reply::Unanswered),
            Err(fault @ (Fault::InvalidObserver | Fault::ApiDisabled)) => Err(self.lost(fault)),
            // What was sent and, as it says, not done; a value of the wrong kind among it. One that says
            // it cannot after all may have done it (electron#37465).
            Err(_) => Ok(Reply::Declined),
        }
    }

    fn do_action(&self, word: &str) -> Result<Reply> {
        let offered = match self.room.ax.actions(self.element, self.by.or_after(MESSAGE)) {
            Ok(names) => names,
            Err(fault) if fault.is_absence() => Vec::new(),
            Err(fault) => return Err(self.lost(fault)),
        };
        if let Some(name) = action::meant(word, &offered) {
            let answer = self.room.ax.perform(self.element, name, self.by.or_after(REPLY));
            return self.said(answer);
        }
        let fold = [(action::EXPAND, true), (action::COLLAPSE, false)];
        if let Some((_, open)) = fold.iter().find(|(name, _)| name.eq_ignore_ascii_case(word)) {
            return self.set(word, "AXDisclosing", &Value::Flag(*open));
        }
        let names: Vec<String> = offered.iter().map(|name| action::shown(name)).collect();
        let why = if names.is_empty() {
            "the element offers no actions".to_owned()
        } else {
            format!("the element offers only: {}", names.join(", "))
        };
        Err(unsupported(word, &why))
    }

    /// Puts the caret behind a number of characters; the system counts in UTF-16 units, so the text
    /// before it must be known.
    fn set_caret(&self, id: &NodeId, characters: usize) -> Result<Reply> {
        let facts = self.room.basics(self.element, self.by).map_err(|fault| self.lost(fault))?;
        let called = self.room.called(&facts, self.by);
        let secret = self.room.is_secret(facts.role(Role::Unknown), id, &facts, &called);
        let units = if secret {
            // The dots drawn for a secret are one unit each.
            characters
        } else {
            let text = self.room.string(self.element, "AXValue", self.by);
            utf16::units(&text.map_err(|fault| self.lost(fault))?, characters)
        };
        let units = i64::try_from(units).unwrap_or(i64::MAX);
        self.set("move the caret", "AXSelectedTextRange", &Value::Range(units, 0))
    }

    /// Sets a number as the kind of number the element has: a checkbox takes no fraction.
    fn set_number(&self, number: f64) -> Result<Reply> {
        let now = self.room.ax.get(self.element, "AXValue", self.by.or_after(MESSAGE));
        let whole = matches!(now, Ok(Value::Whole(_) | Value::Flag(_))) && number.fract() == 0.0;
        #[allow(clippy::cast_possible_truncation)] // It has no fraction, and saturates.
        let to = if whole { Value::Whole(number as i64) } else { Value::Real(number) };
        if let Ok(Value::Text(_)) = now {
            return self.set("set value", "AXValue", &Value::Text(number.to_string()));
        }
        self.set("set value", "AXValue", &to)
    }

    /// Scrolls the element into view. AppKit has an action for it and does not list it.
    fn reveal(&self) -> Result<Reply> {
        let answer =
            self.room.ax.perform(self.element, "AXScrollToVisible", self.by.or_after(REPLY));
        match answer {
            Err(fault) if fault.is_absence() => Err(fault.error("scroll into view")),
            Err(fault @ Fault::InvalidElement) => Err(self.lost(fault)),
            answer => self.said(answer),
        }
    }
}

/// Nothing was sent, and why.
pub(super) fn unsupported(what: &str, why: &str) -> Error {
    Error::Unsupported { what: what.to_owned(), why: why.to_owned() }
}
