//! Sessions over HTTP: what a client has not read yet waits for it, and a client that was
//! away takes up where it left.

mod banned;
mod budget;
pub(crate) mod conversation;
pub(crate) mod events;
pub(crate) mod stream;
pub(crate) mod table;
mod wire;
