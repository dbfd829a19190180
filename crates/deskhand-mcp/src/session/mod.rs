//! Sessions over HTTP. Messages are kept in an event store until they are delivered, so that a client
//! that was disconnected can resume its streams.

mod banned;
mod budget;
pub(crate) mod conversation;
pub(crate) mod events;
pub(crate) mod stream;
pub(crate) mod table;
mod wire;
