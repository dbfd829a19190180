//! The capabilities of Deskhand, each written once: reading a tree, finding an element, acting on it and
//! verifying the effect, capturing the screen, using the clipboard. A verb takes typed input and returns a
//! typed result; the tools of `deskhand-tools` declare how callers reach it.

pub mod act;
pub mod aim;
pub mod app;
mod ask;
pub mod clipboard;
pub mod command;
mod context;
pub mod effect;
pub mod element;
pub mod error;
pub mod expect;
pub mod explain;
pub mod idle;
pub mod keys;
pub mod look;
pub mod marks;
pub mod operation_report;
pub mod page;
pub mod permission;
pub mod picture;
pub mod point;
pub mod questions;
pub mod running;
pub mod script;
pub mod secrets;
mod session;
pub mod shots;
pub mod sift;
mod stop;
pub mod stroke;
pub mod talk;
#[cfg(test)]
mod testing;
mod unseen;
mod warden;
pub mod windows;

pub use act::Memory;
pub use ask::{Ask, Asked, Asks, Choice, Field, How, Nobody, Question, Takes};
pub use context::{Commands, Context, Door, Form, Hears, Pace, Said, Sink, Weight};
pub use error::{Condition, Error, Instance, Result};
pub use page::{Block, Image, Line, Page, Shown, Span, Style};
pub use session::{Connection, Session, TerminalInput};
pub use stop::Stop;
pub use unseen::Unseen;
pub use warden::{Leave, Reviewed, Risk, Script, Warden, Warning};
