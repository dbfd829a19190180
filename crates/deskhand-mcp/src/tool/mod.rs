//! Tools: `tools/list` from declarations, and `tools/call` through the engine.

mod afterwards;
pub(crate) mod aside;
pub(crate) mod call;
pub(crate) mod content;
pub(crate) mod list;
mod progress;
mod record;
pub(crate) mod running;
