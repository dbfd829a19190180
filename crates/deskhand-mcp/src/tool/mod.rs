//! From declarations to `tools/list`, from `tools/call` to the engine and back.

mod afterwards;
pub(crate) mod aside;
pub(crate) mod call;
pub(crate) mod content;
pub(crate) mod list;
mod progress;
mod record;
pub(crate) mod running;
