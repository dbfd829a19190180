//! How bytes come and go.

mod front;
mod health;
pub(crate) mod http;
mod origin;
pub(crate) mod stdio;
pub(crate) mod unix;
