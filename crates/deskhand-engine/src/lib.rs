//! The one way every call takes, whichever door it came through: found in the catalogue, decoded,
//! run, and answered for.

mod call;
mod catalogue;
mod failure;

pub use call::{Call, Engine, Reply};
pub use catalogue::Catalogue;
pub use deskhand_model::Delivery;
pub use deskhand_tools::{
    Answer, Block, Effect, Entry, Form, Image, Line, Need, Page, Said, Span, Spec, Style,
};
pub use failure::Failure;
