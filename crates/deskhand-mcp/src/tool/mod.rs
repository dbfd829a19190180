//! Tools: `tools/list` from declarations, and `tools/call` through the engine.

mod background;
pub(crate) mod call;
pub(crate) mod content;
pub(crate) mod internal_call;
pub(crate) mod list;
mod log_record;
mod progress;
pub(crate) mod run;
