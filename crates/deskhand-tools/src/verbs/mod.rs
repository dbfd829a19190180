//! Capabilities, each once.

pub(crate) mod act;
pub(crate) mod aim;
pub(crate) mod app;
pub(crate) mod clipboard;
pub(crate) mod effect;
pub(crate) mod element;
pub(crate) mod expect;
pub(crate) mod explain;
pub(crate) mod idle;
pub(crate) mod keys;
pub(crate) mod look;
pub(crate) mod marks;
pub(crate) mod permission;
pub(crate) mod picture;
pub(crate) mod point;
pub(crate) mod running;
pub(crate) mod script;
pub(crate) mod secrets;
pub(crate) mod shots;
pub(crate) mod sift;
pub(crate) mod stroke;
pub(crate) mod windows;
