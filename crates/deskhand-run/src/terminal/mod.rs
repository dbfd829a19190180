//! Programs that ask: each on a terminal of its own in the sandbox, typed to and read from.

mod all;
mod keys;
mod reading;
mod screen;
mod session;

pub(crate) use all::Terminals;
pub use reading::{Reading, Shown, Stopped, View, Wait};
pub use screen::Picture;
pub use session::{Echo, Input, Opening, Sent, Terminal};
