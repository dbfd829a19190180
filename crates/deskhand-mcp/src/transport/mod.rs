//! How bytes come and go.

mod front;
pub(crate) mod http;
pub(crate) mod stdio;
