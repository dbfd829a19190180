//! Command-line tools declared in JSON files (the MCP Tool Definition Format): what a file may say,
//! what is wrong with one, and what a call of a tool runs. Nothing is run here.

mod assemble;
mod attachment;
mod callable;
mod definition;
mod error;
mod leaves;
mod line;
mod load;
mod meta;
mod nearest;
mod parameters;
mod place;
mod refusal;
mod scope;
mod sense;
mod sequence;
mod shape;
mod source;
#[cfg(test)]
mod tests;
mod value;

pub use assemble::Loaded;
pub(crate) use assemble::{Document, assemble, order};
pub use attachment::Attachment;
pub use callable::{Callable, IN_THE_BACKGROUND, Planned, Probe};
pub use definition::{
    Availability, Check, Definition, Hints, ItemType, Items, Kind, Parameter, SequenceStep,
    Subcommand, ValueType,
};
pub use error::Error;
pub(crate) use load::document;
pub use load::{examine, load, read_text};
pub use meta::Mode;
pub(crate) use place::Place;
pub use refusal::Refusal;
pub use shape::schema;
