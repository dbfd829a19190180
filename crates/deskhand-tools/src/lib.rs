//! The tools Deskhand offers: declarations over the verbs of `deskhand-verbs`, one folder per vocabulary.

mod advice;
mod all;
mod ax;
mod cli;
mod commands;
mod correction;
mod decode;
mod desktop;
mod entry;
mod inspect;
mod int;
mod redact;
mod resources;
mod schema;
#[cfg(test)]
mod testing;
mod tool;
mod vocabulary;
mod without_tree;

pub use advice::spell_advice;
pub use all::all;
pub use cli::defined;
pub use correction::Correction;
pub(crate) use deskhand_verbs::{
    self as verbs, CallerSession, Context, Error, Image, OutputForm, ProgressEvent, Question,
    Render, Result, ScriptRequest, ScriptReview, Style, StyledLine, StyledSpan, StyledText,
    TerminalInput, WaitMode, elicitation::questions, styled_text,
};
pub use entry::{BuiltinTool, DynamicTool, ToolEntry};
pub use int::Int;
pub use tool::{
    Annotations, Effect, Offer, PrivateArg, Requirement, TaskSupport, Tool, ToolOutput, ToolSpec,
    Toolset,
};
pub use vocabulary::{ToolKey, Vocabulary};
