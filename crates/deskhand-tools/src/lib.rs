//! The tools Deskhand offers: declarations over the verbs of `deskhand-verbs`, one folder per vocabulary.

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

pub use all::all;
pub use ax::for_tools;
pub use cli::defined;
pub use correction::Correction;
pub(crate) use deskhand_verbs::{self as verbs, page};
pub use deskhand_verbs::{
    Ask, Asked, Asks, Block, Choice, Commands, Condition, Connection, Context, Door, Error, Field,
    Form, Hears, How, Image, Instance, Leave, Line, Memory, Nobody, Pace, Page, Question, Result,
    Reviewed, Risk, Said, Script, Session, Shown, Sink, Span, Stop, Style, Takes, TerminalInput,
    Unseen, Warden, Warning, Weight, app::meant as app_meant, keys::together as keys, questions,
    script::Refused as ScriptRefused, talk,
};
pub use entry::{DynamicTool, ToolEntry};
pub use int::Int;
pub use tool::{
    Annotations, Effect, Offer, PrivateArg, Requirement, TaskSupport, Tool, ToolOutput, ToolSpec,
    Toolset,
};
