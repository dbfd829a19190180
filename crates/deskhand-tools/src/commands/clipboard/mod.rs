//! Commands for the clipboard.

pub(crate) mod clear;
pub(crate) mod history;
pub(crate) mod read;
pub(crate) mod watch;
pub(crate) mod write;
