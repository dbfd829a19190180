//! One running app.

use std::time::Duration;

use deskhand_engine::OutputForm;
use serde_json::{Value, json};

use crate::{Element, Error, Events, Image, Outcome, Session};

/// The way in which actions are carried out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum ActionMode {
    /// Through accessibility. The focus, the pointer and the order of windows stay as they are.
    #[default]
    Background,
    /// With the real pointer and keyboard, after bringing the window to the front.
    Focus,
}

impl ActionMode {
    fn word(self) -> &'static str {
        match self {
            Self::Background => "background",
            Self::Focus => "focus",
        }
    }
}

/// One running app of a [`Session`].
///
/// Methods that take a query accept a text, `role:button Save`, `/regex/i`, XPath such as
/// `//button[@title='Save']`, a ref such as `e12`, or an [`Element`]. A query must match exactly
/// one element: several matches are the error `ambiguous`, none is `no_match`.
#[derive(Debug, Clone)]
pub struct App<'s> {
    session: &'s Session,
    name: String,
    pid: u32,
    mode: ActionMode,
    started: Option<Outcome>,
}

impl<'s> App<'s> {
    pub(crate) fn running(session: &'s Session, name: String, pid: u32) -> Self {
        Self { session, name, pid, mode: ActionMode::default(), started: None }
    }

    pub(crate) fn started(session: &'s Session, name: String, pid: u32, outcome: Outcome) -> Self {
        Self { started: Some(outcome), ..Self::running(session, name, pid) }
    }

    /// Returns the name of the app.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the process id of the app.
    pub fn pid(&self) -> u32 {
        self.pid
    }

    /// Returns the outcome of the start, if [`Session::open_app`] started the app.
    pub fn start_outcome(&self) -> Option<&Outcome> {
        self.started.as_ref()
    }

    /// Returns the app with another mode for clicks, typing and keys (default:
    /// [`ActionMode::Background`]).
    #[must_use]
    pub fn with_mode(self, mode: ActionMode) -> Self {
        Self { mode, ..self }
    }

    /// Returns the elements of the app as an outline, one per line with its ref.
    ///
    /// # Errors
    ///
    /// `no_tree` or `timeout` if the app cannot be read.
    pub fn tree(&self) -> Result<String, Error> {
        let arguments = self.arguments(json!({ "max_tokens": 0 }));
        let reply = self.session.call_as("tree", arguments, OutputForm::Text)?;
        match reply.data["outline"].as_str() {
            Some(outline) => Ok(outline.to_owned()),
            None => Err(Error::unexpected_result("tree", "it has no outline")),
        }
    }

    /// Finds exactly one element, and waits for it until the timeout.
    ///
    /// # Errors
    ///
    /// `no_match` or `ambiguous`.
    pub fn find(&self, query: impl AsRef<str>) -> Result<Element, Error> {
        let arguments = self.arguments(json!({ "query": query.as_ref() }));
        self.session.call("find", arguments)?.parse("find")
    }

    /// Finds all elements that match a query, the best first, up to 50.
    ///
    /// # Errors
    ///
    /// `no_tree` or `timeout` if the app cannot be read.
    pub fn find_all(&self, query: impl AsRef<str>) -> Result<Vec<Element>, Error> {
        let arguments = self.arguments(json!({ "query": query.as_ref(), "all": true }));
        self.session.call("find", arguments)?.parse("find")
    }

    /// Clicks an element.
    ///
    /// # Errors
    ///
    /// `no_match`, `ambiguous`, or `not_ready` if the element stays disabled or covered.
    pub fn click(&self, query: impl AsRef<str>) -> Result<Outcome, Error> {
        self.act("click", json!({ "query": query.as_ref(), "mode": self.mode.word() }))
    }

    /// Types text into an element at its caret.
    ///
    /// # Errors
    ///
    /// `no_match`, `ambiguous`, or `not_ready` if the element does not accept text.
    pub fn type_text(&self, query: impl AsRef<str>, text: &str) -> Result<Outcome, Error> {
        let mode = self.mode.word();
        self.act("type", json!({ "into": query.as_ref(), "text": text, "mode": mode }))
    }

    /// Sets the value of an element: a text, a number, `true` or `false`, or the name of a choice.
    ///
    /// # Errors
    ///
    /// `no_match`, `ambiguous`, or `unfit` if the element has no such value.
    pub fn set_value(&self, query: impl AsRef<str>, value: &str) -> Result<Outcome, Error> {
        self.act("set", json!({ "query": query.as_ref(), "value": value }))
    }

    /// Selects exactly these items of a list, table, tab list or combo box, by name or as `#3`.
    ///
    /// # Errors
    ///
    /// `no_match`, `ambiguous`, or `unfit` if the element has no items.
    pub fn select(&self, query: impl AsRef<str>, items: &[&str]) -> Result<Outcome, Error> {
        self.act("select", json!({ "query": query.as_ref(), "items": items }))
    }

    /// Presses keys and shortcuts one after the other, such as `["ctrl+a", "Delete"]`.
    ///
    /// # Errors
    ///
    /// `unknown_key`, or `window_not_found` if the app has no window.
    pub fn press_keys(&self, keys: &[&str]) -> Result<Outcome, Error> {
        self.act("key", json!({ "keys": keys, "mode": self.mode.word() }))
    }

    /// Captures the frontmost window of the app, even if it is covered. Password fields are masked.
    ///
    /// # Errors
    ///
    /// `window_not_found` if the app has no window.
    pub fn screenshot(&self) -> Result<Image, Error> {
        self.session.capture(self.arguments(json!({})))
    }

    /// Watches the events of the app. The watch has started when this method returns, and continues
    /// on another thread, so the caller can act and then read the events.
    ///
    /// # Errors
    ///
    /// `app_not_running` if the app has ended.
    pub fn watch(&self, duration: Duration) -> Result<Events<'s>, Error> {
        Events::start(self.session, self.arguments(json!({})), duration)
    }

    /// Asks the app to close its windows and waits until its process exits. The effect is
    /// [`Effect::Partial`](crate::Effect::Partial) if it shows a dialog first.
    ///
    /// # Errors
    ///
    /// `app_not_running` if the app has ended before.
    pub fn quit(&self) -> Result<Outcome, Error> {
        self.act("quit", json!({}))
    }

    /// Kills the app. Unsaved work is lost.
    ///
    /// # Errors
    ///
    /// `app_not_running` if the app has ended before.
    pub fn kill(&self) -> Result<Outcome, Error> {
        self.act("quit", json!({ "force": true }))
    }

    fn act(&self, tool: &str, arguments: Value) -> Result<Outcome, Error> {
        self.session.call(tool, self.arguments(arguments))?.outcome(tool)
    }

    /// Adds the app to the arguments of a tool. The process id is unique, unlike the name.
    fn arguments(&self, mut arguments: Value) -> Value {
        arguments["app"] = Value::from(self.pid.to_string());
        arguments
    }
}
