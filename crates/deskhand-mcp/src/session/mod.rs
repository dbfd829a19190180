//! Sessions of Streamable HTTP: what a client has not read yet waits for it, and a client that was
//! away takes up where it left.

pub(crate) mod events;
mod stream;
pub(crate) mod table;
mod wire;
