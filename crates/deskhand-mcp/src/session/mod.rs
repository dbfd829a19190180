//! Sessions over HTTP. Messages are kept in an event store until they are delivered, so that a
//! client that was disconnected can resume its streams.

pub(crate) mod budget;
pub(crate) mod event_store;
pub(crate) mod http_session;
mod revoked;
pub(crate) mod stream;
pub(crate) mod table;
mod transport;
