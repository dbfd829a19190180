//! Capabilities, each once.

pub(crate) mod app;
pub(crate) mod element;
pub(crate) mod look;
