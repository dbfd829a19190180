//! Tools: each is declared once, in the file named after it, and calls verbs. A capability is one
//! verb, however many tools offer it.

mod act;
mod all;
mod clipboard;
mod context;
mod error;
mod int;
mod keyboard;
mod look;
mod page;
mod pointer;
mod program;
mod screen;
#[cfg(test)]
mod testing;
mod tool;
mod verbs;
mod window;

pub use all::all;
pub use context::{Context, Form, Said};
pub use error::{Condition, Error, Result};
pub use int::Int;
pub use page::{Block, Line, Page, Span, Style};
pub use tool::{Answer, Effect, Entry, Image, Need, Shown, Spec, Tool};
pub use verbs::act::Memory;
