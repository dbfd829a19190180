//! The tools Deskhand offers: declarations over the verbs of `deskhand-verbs`, one folder per vocabulary.

mod all;
mod ax;
mod cli;
mod commands;
mod decode;
mod entry;
mod int;
mod private;
mod remedy;
mod resources;
mod schema;
#[cfg(test)]
mod testing;
mod tool;

pub use all::all;
pub use ax::for_tools;
pub use cli::defined;
pub(crate) use deskhand_verbs::{self as verbs, page};
pub use deskhand_verbs::{
    Ask, Asked, Asks, Block, Choice, Commands, Condition, Connection, Context, Door, Error, Field,
    Form, Hears, How, Image, Instance, Leave, Line, Memory, Nobody, Pace, Page, Question, Result,
    Reviewed, Risk, Said, Script, Session, Shown, Sink, Span, Stop, Style, Takes, TerminalInput,
    Unseen, Warden, Warning, Weight, app::meant as app_meant, keys::together as keys, questions,
    script::Refused as ScriptRefused, talk,
};
pub use entry::{Entry, Made};
pub use int::Int;
pub use remedy::Remedy;
pub use tool::{Answer, Effect, Hints, Need, Offer, Private, Spec, TaskSupport, Tool, Toolset};
