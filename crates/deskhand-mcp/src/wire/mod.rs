//! The wire format, independent of the transport: JSON-RPC parsing, rewriting of messages for both
//! protocol eras, connection state, and newline-delimited JSON.

pub(crate) mod connection_state;
pub(crate) mod frame;
pub(crate) mod inbound;
pub(crate) mod json_lines;
pub(crate) mod outbound;
pub(crate) mod uncancellable;
