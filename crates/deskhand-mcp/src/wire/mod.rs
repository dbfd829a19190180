//! The wire, whichever transport carries it: what a message must look like, what is rewritten on
//! the way in and out so that both eras reach the same rooms, and newline-delimited JSON.

pub(crate) mod frame;
pub(crate) mod inbound;
pub(crate) mod ledger;
pub(crate) mod line;
pub(crate) mod outbound;
pub(crate) mod steadfast;
