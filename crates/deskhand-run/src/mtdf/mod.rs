//! Command-line tools defined in JSON files (the MCP Tool Definition Format, MTDF): reads the files, reports
//! problems, and plans calls. This module runs nothing.

mod assemble;
mod attachment;
mod command_line;
mod definition;
mod diagnostic;
mod error;
mod leaf;
mod load;
mod meta_arguments;
mod nearest;
mod parameters;
mod schema;
mod scope;
mod semantics;
mod sequence;
mod source;
#[cfg(test)]
mod tests;
mod tool;
mod tools_dir;
mod value;

pub use assemble::LoadedTools;
pub(crate) use assemble::{ParsedFile, assemble, compare_positions};
pub use attachment::Attachment;
pub use definition::{
    Availability, AvailabilityCommand, Definition, Hints, ItemType, Items, Parameter, SequenceStep,
    Subcommand, ToolKind, ValueType,
};
pub use diagnostic::Diagnostic;
pub use error::Error;
pub(crate) use load::read_file;
pub use load::{load, parse_text, validate};
pub use meta_arguments::ExecutionMode;
pub use schema::schema;
pub use tool::{AvailabilityProbe, BACKGROUND_NOTE, CallPlan, CommandTool};
pub(crate) use tools_dir::ToolsDir;
