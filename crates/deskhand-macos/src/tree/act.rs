//! Actions on elements. Reports the app's reply; callers check the effect.

use deskhand_model::{App, NodeId, Role};
use deskhand_platform::{ActionReply, Deadline, Error, NodeAction, Result};

use super::{
    AxError, Value, action,
    ax_api::{AxApi, AxResult},
    session::{AxSession, describe_app, element_error},
    utf16,
};
use crate::timing::{ACTION_REPLY_TIMEOUT, MESSAGE_TIMEOUT};

impl<A: AxApi> AxSession<A> {
    /// Performs one action on one element.
    pub(crate) fn act(
        &self,
        app: &App,
        on: &NodeId,
        act: &NodeAction,
        deadline: Deadline,
    ) -> Result<ActionReply> {
        if deadline.has_passed() {
            return Err(Error::Timeout { what: describe_app(app) });
        }
        let element = self.resolve_element(app, on, deadline)?;
        let target = AxActionTarget { session: self, app, element: &element, deadline };
        match act {
            NodeAction::Invoke(name) => target.do_action(name),
            NodeAction::Focus | NodeAction::FocusWithoutRaise => {
                target.set("focus", "AXFocused", &Value::Flag(true))
            }
            NodeAction::SetText(text) => {
                target.set("set text", "AXValue", &Value::Text(text.clone()))
            }
            NodeAction::Insert(text) => {
                target.set("type", "AXSelectedText", &Value::Text(text.clone()))
            }
            NodeAction::SetCaret(at) => target.set_caret(on, *at),
            NodeAction::SetNumber(number) => target.set_number(*number),
            NodeAction::Select => target.select(true),
            NodeAction::Deselect => target.select(false),
            NodeAction::SelectOnly => target.select_only(),
            NodeAction::SelectItem(index) => target.select_item(*index),
            NodeAction::SelectNone => target.select_none(),
            NodeAction::Reveal => target.reveal(),
        }
    }
}

/// The element that an action is performed on.
pub(super) struct AxActionTarget<'a, A: AxApi> {
    pub(super) session: &'a AxSession<A>,
    pub(super) app: &'a App,
    pub(super) element: &'a A::Element,
    pub(super) deadline: Deadline,
}

impl<A: AxApi> AxActionTarget<'_, A> {
    /// A target for another element of the same app.
    pub(super) fn with_element<'b>(&'b self, element: &'b A::Element) -> AxActionTarget<'b, A> {
        AxActionTarget { session: self.session, app: self.app, element, deadline: self.deadline }
    }

    pub(super) fn element_error(&self, error: AxError) -> Error {
        element_error(error, self.app)
    }

    /// Sets an attribute. Fails without sending anything if it is not settable.
    pub(super) fn set(
        &self,
        what: &str,
        name: &str,
        to: &Value<A::Element>,
    ) -> Result<ActionReply> {
        let may = self.session.can_set(self.element, name, self.deadline);
        if !may.map_err(|error| self.element_error(error))? {
            return Err(unsupported(what, &format!("the element's {name} cannot be set")));
        }
        let answer = self.session.ax.set_attribute(
            self.element,
            name,
            to,
            self.deadline.at_most(ACTION_REPLY_TIMEOUT),
        );
        self.interpret_reply(answer)
    }

    /// The reply of an app to a set or perform message, after a check that it supports it.
    pub(super) fn interpret_reply(&self, answer: AxResult<()>) -> Result<ActionReply> {
        match answer {
            Ok(()) => Ok(ActionReply::Accepted),
            // It existed a moment ago. An action that closes its window may have removed it.
            Err(AxError::CannotComplete | AxError::InvalidElement) => Ok(ActionReply::Unanswered),
            Err(error @ (AxError::InvalidObserver | AxError::ApiDisabled)) => {
                Err(self.element_error(error))
            }
            // The app received it and reports a failure, such as a value of the wrong type. Electron may
            // have done it even if it reports that it cannot (electron#37465).
            Err(_) => Ok(ActionReply::Declined),
        }
    }

    fn do_action(&self, word: &str) -> Result<ActionReply> {
        let offered = match self
            .session
            .ax
            .action_names(self.element, self.deadline.at_most(MESSAGE_TIMEOUT))
        {
            Ok(names) => names,
            Err(error) if error.is_absent() => Vec::new(),
            Err(error) => return Err(self.element_error(error)),
        };
        if let Some(name) = action::find_action(word, &offered) {
            let answer = self.session.ax.perform_action(
                self.element,
                name,
                self.deadline.at_most(ACTION_REPLY_TIMEOUT),
            );
            return self.interpret_reply(answer);
        }
        let disclosure = [(action::EXPAND, true), (action::COLLAPSE, false)];
        if let Some((_, open)) = disclosure.iter().find(|(name, _)| name.eq_ignore_ascii_case(word))
        {
            return self.set(word, "AXDisclosing", &Value::Flag(*open));
        }
        let names: Vec<String> = offered.iter().map(|name| action::display_name(name)).collect();
        let why = if names.is_empty() {
            "the element offers no actions".to_owned()
        } else {
            format!("the element offers only: {}", names.join(", "))
        };
        Err(unsupported(word, &why))
    }

    /// Moves the caret behind a number of characters. macOS counts in UTF-16 units, so the text has to be
    /// read first.
    fn set_caret(&self, id: &NodeId, characters: usize) -> Result<ActionReply> {
        let attributes = self
            .session
            .read_basics(self.element, self.deadline)
            .map_err(|error| self.element_error(error))?;
        let accessible_name = self.session.accessible_name(&attributes, self.deadline);
        let secret = self.session.is_secret(
            attributes.role(Role::Unknown),
            id,
            &attributes,
            &accessible_name,
        );
        let units = if secret {
            // A password field shows one unit for each character.
            characters
        } else {
            let text = self.session.string(self.element, "AXValue", self.deadline);
            utf16::units(&text.map_err(|error| self.element_error(error))?, characters)
        };
        let units = i64::try_from(units).unwrap_or(i64::MAX);
        self.set("move the caret", "AXSelectedTextRange", &Value::Range(units, 0))
    }

    /// Sets a number in the type that the element has now, since a checkbox rejects fractions.
    fn set_number(&self, number: f64) -> Result<ActionReply> {
        let now = self.session.ax.attribute(
            self.element,
            "AXValue",
            self.deadline.at_most(MESSAGE_TIMEOUT),
        );
        let whole = matches!(now, Ok(Value::Whole(_) | Value::Flag(_))) && number.fract() == 0.0;
        #[allow(clippy::cast_possible_truncation)] // It has no fraction, and the cast saturates.
        let to = if whole { Value::Whole(number as i64) } else { Value::Real(number) };
        if let Ok(Value::Text(_)) = now {
            return self.set("set value", "AXValue", &Value::Text(number.to_string()));
        }
        self.set("set value", "AXValue", &to)
    }

    /// Scrolls the element into view. AppKit supports the action without listing it.
    fn reveal(&self) -> Result<ActionReply> {
        let answer = self.session.ax.perform_action(
            self.element,
            "AXScrollToVisible",
            self.deadline.at_most(ACTION_REPLY_TIMEOUT),
        );
        match answer {
            Err(error) if error.is_absent() => Err(error.into_platform_error("scroll into view")),
            Err(error @ AxError::InvalidElement) => Err(self.element_error(error)),
            answer => self.interpret_reply(answer),
        }
    }
}

/// The error for an action that was not sent.
pub(super) fn unsupported(what: &str, why: &str) -> Error {
    Error::Unsupported { what: what.to_owned(), why: why.to_owned() }
}
