//! Events that a call sends besides its result.

use std::sync::Arc;

use serde_json::Value;

use crate::{Style, StyledLine, StyledText};

/// An event that a tool sends before or after its result.
#[derive(Debug)]
pub struct ProgressEvent {
    /// The event for programs.
    pub data: Value,
    /// The event for readers.
    pub text: StyledText,
    /// The amount of work done, and the total if it is known. Only [`Severity::Progress`] has it.
    pub progress: Option<(f64, Option<f64>)>,
    /// The importance of the event.
    pub severity: Severity,
}

/// The importance of a [`ProgressEvent`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Severity {
    /// A part of the result.
    Output,
    /// Progress. A caller that misses it loses nothing.
    Progress,
    /// A warning that the caller should know about.
    Warning,
    /// An audit record of a call that changed something.
    Audit,
    /// An audit record of a call that was refused.
    Refusal,
}

impl ProgressEvent {
    /// Creates an event that carries a part of the result.
    pub fn output(data: Value, text: StyledText) -> Self {
        Self { data, text, progress: None, severity: Severity::Output }
    }

    /// Creates an event that reports the amount of work done.
    pub fn progress(done: f64, total: Option<f64>, message: impl Into<String>) -> Self {
        let event = Self::message(message.into(), Severity::Progress);
        Self { progress: Some((done, total)), ..event }
    }

    /// Creates a warning.
    pub fn warning(message: impl Into<String>) -> Self {
        Self::message(message.into(), Severity::Warning)
    }

    /// Creates an event that carries an audit record.
    pub fn audit(data: Value, severity: Severity) -> Self {
        Self { data, text: StyledText::default(), progress: None, severity }
    }

    fn message(message: String, severity: Severity) -> Self {
        let text = StyledText::default().line(StyledLine::new().with(Style::Plain, &message));
        Self { data: Value::from(message), text, progress: None, severity }
    }
}

/// Delivers the events of a call to its caller, also after the reply.
#[derive(Clone)]
pub struct ProgressSink {
    verbosity: Verbosity,
    deliver: Arc<dyn Fn(ProgressEvent) -> bool + Send + Sync>,
}

/// The events that a caller wants to receive.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verbosity {
    /// Progress and results.
    All,
    /// Results only.
    ResultsOnly,
}

impl ProgressSink {
    /// Creates a sink. `deliver` returns `false` when the caller no longer listens.
    pub fn new(
        verbosity: Verbosity,
        deliver: impl Fn(ProgressEvent) -> bool + Send + Sync + 'static,
    ) -> Self {
        Self { verbosity, deliver: Arc::new(deliver) }
    }

    /// Returns the events that the caller wants. Others need not be sent.
    pub fn verbosity(&self) -> Verbosity {
        self.verbosity
    }

    /// Sends an event. Returns `false` when the caller no longer listens.
    pub fn send(&self, event: ProgressEvent) -> bool {
        (self.deliver)(event)
    }
}
