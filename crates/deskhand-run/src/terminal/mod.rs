//! Interactive programs, each on its own pseudoterminal in the sandbox.

mod handle;
mod keys;
mod read;
mod registry;
mod screen;

pub use handle::{EchoMode, Input, SendResult, Terminal, TerminalRequest};
pub use read::{ReadFormat, ReadRequest, ReadResult, WaitCondition, WaitEnd};
pub(crate) use registry::Terminals;
pub use screen::ScreenSnapshot;
