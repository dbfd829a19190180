//! Tools: each is declared once, in the file named after it, and calls verbs. A capability is one
//! verb, however many tools offer it.

mod all;
mod context;
mod error;
mod int;
mod look;
mod page;
mod tool;
mod verbs;

pub use all::all;
pub use context::{Context, Form, Said};
pub use error::{Error, Result};
pub use int::Int;
pub use page::{Block, Line, Page, Span, Style};
pub use tool::{Answer, Effect, Entry, Need, Shown, Spec, Tool};
