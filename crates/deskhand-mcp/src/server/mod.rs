//! The protocol handler and the state shared by all connections.

pub(crate) mod call_permits;
pub(crate) mod client;
pub(crate) mod custom;
pub(crate) mod failure;
mod handler;
pub(crate) mod info;
pub(crate) mod log;
pub(crate) mod metrics;
pub(crate) mod operations;
pub(crate) mod paging;
pub(crate) mod principal;
pub(crate) mod scope;
pub(crate) mod state;

pub(crate) use handler::Handler;
