//! The capabilities of Deskhand, each written once: reading a tree, finding an element, acting on it and
//! verifying the effect, capturing the screen, using the clipboard.
//!
//! A verb takes a [`Context`] and typed input and returns a typed result, such as
//! [`ActionOutcome`](effect::ActionOutcome). The tools of `deskhand-tools` declare how callers reach it.

pub mod act;
pub mod app;
mod call;
pub mod capture;
pub mod clipboard;
pub mod command;
pub mod displays;
pub mod effect;
pub mod elicitation;
mod error;
pub mod idle;
pub mod input;
pub mod permission;
pub mod programs;
pub mod script;
pub mod styled_text;
#[cfg(test)]
mod testing;
mod timing;
pub mod tree;
pub mod windows;

pub use act::verify::EventListeners;
pub use call::{
    CallerSession, CancelToken, CommandAccess, Connection, ConsentGate, Context, Decision, Origin,
    OutputForm, ProgressEvent, ProgressSink, Risk, RiskCause, ScriptRequest, ScriptReview,
    Severity, TerminalInput, Verbosity, WaitMode,
};
pub use elicitation::{
    AnswerMethod, Choice, ElicitResponse, Elicitor, FieldType, FormField, NoElicitor, Question,
    QuestionPurpose,
};
pub use error::{Condition, Error, Instance, Result};
pub use styled_text::{Image, Render, Style, StyledLine, StyledSpan, StyledText, TextBlock};
pub use tree::hidden_text::HiddenTextReport;
