//! The wire format, independent of the transport: JSON-RPC parsing, rewriting of messages for both
//! protocol eras, connection state, and newline-delimited JSON.

pub(crate) mod frame;
pub(crate) mod inbound;
pub(crate) mod ledger;
pub(crate) mod line;
pub(crate) mod outbound;
pub(crate) mod steadfast;
