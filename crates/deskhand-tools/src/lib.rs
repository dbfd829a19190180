//! The tools Deskhand offers: declarations over the verbs of `deskhand-verbs`, one folder per vocabulary.

mod advice;
mod all;
mod ax;
mod cli;
mod commands;
mod correction;
mod decode;
mod entry;
mod int;
mod redact;
mod resources;
mod schema;
#[cfg(test)]
mod testing;
mod tool;

pub use advice::spell_advice;
pub use all::all;
pub use cli::defined;
pub use correction::Correction;
pub(crate) use deskhand_verbs::{self as verbs, styled_text};
pub use deskhand_verbs::{
    AnswerMethod, CallerSession, CancelToken, Choice, CommandAccess, Condition, Connection,
    ConsentGate, Context, Decision, ElicitResponse, Elicitor, Error, EventListeners, FieldType,
    FormField, HiddenTextReport, Image, Instance, NoElicitor, Origin, OutputForm, ProgressEvent,
    ProgressSink, Question, QuestionPurpose, Render, Result, Risk, RiskCause, ScriptRequest,
    ScriptReview, Severity, Style, StyledLine, StyledSpan, StyledText, TerminalInput, TextBlock,
    Verbosity, WaitMode,
    app::resolve_app,
    elicitation::{questions, sampling},
    input::keys::parse_keys,
    script::ScriptError,
};
pub use entry::{DynamicTool, ToolEntry};
pub use int::Int;
pub use tool::{
    Annotations, Effect, Offer, PrivateArg, Requirement, TaskSupport, Tool, ToolOutput, ToolSpec,
    Toolset,
};
