//! Transports: stdio, HTTP and Unix sockets.

mod accept;
pub(crate) mod auth;
mod front;
mod health;
pub(crate) mod http;
mod listen;
mod metrics;
mod origin;
mod pace;
mod patience;
mod places;
mod single;
mod sse;
pub(crate) mod stdio;
mod streams;
pub(crate) mod tls;
pub(crate) mod unix;
