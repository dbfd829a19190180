//! Tools: each is declared once, in the file named after it, and calls verbs. A capability is one
//! verb, however many tools offer it.

mod act;
mod all;
mod ask;
mod ax;
mod cli;
mod clipboard;
mod context;
mod decode;
mod entry;
mod error;
mod int;
mod keyboard;
mod look;
mod page;
mod pointer;
mod private;
mod program;
pub mod questions;
mod remedy;
mod schema;
mod screen;
mod session;
mod stop;
pub mod talk;
#[cfg(test)]
mod testing;
mod tool;
mod unseen;
mod verbs;
mod view;
mod warden;
mod window;

pub use all::all;
pub use ask::{Ask, Asked, Asks, Choice, Field, How, Nobody, Question, Takes};
pub use ax::for_tools;
pub use cli::defined;
pub use context::{Commands, Context, Door, Form, Hears, Pace, Said, Sink, Weight};
pub use entry::{Entry, Made};
pub use error::{Condition, Error, Instance, Result};
pub use int::Int;
pub use page::{Block, Line, Page, Span, Style};
pub use remedy::Remedy;
pub use session::{Connection, Session};
pub use stop::Stop;
pub use tool::{
    Answer, Effect, Hints, Image, Need, Offer, Private, Shown, Spec, TaskSupport, Tool, Toolset,
};
pub use unseen::Unseen;
pub use verbs::script::Refused as ScriptRefused;
pub use verbs::{act::Memory, app::meant as app_meant, keys::together as keys};
pub use warden::{Leave, Reviewed, Risk, Script, Warden, Warning};
