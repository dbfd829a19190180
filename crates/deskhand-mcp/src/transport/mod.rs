//! How bytes come and go.

mod accept;
mod front;
mod health;
pub(crate) mod http;
mod listen;
mod metrics;
mod origin;
mod single;
mod sse;
pub(crate) mod stdio;
mod streams;
pub(crate) mod unix;
