//! Transports: stdio, HTTP and Unix sockets.

mod accept;
pub(crate) mod auth;
mod connection_slots;
mod echo;
mod event_parser;
mod health;
pub(crate) mod http;
mod listen;
mod mcp_endpoint;
mod metrics;
mod origin;
mod rate_limit;
pub(crate) mod single_response;
mod sse;
mod stateless;
pub(crate) mod stdio;
mod stdio_streams;
pub(crate) mod tls;
pub(crate) mod unix;
mod write_timeout;
