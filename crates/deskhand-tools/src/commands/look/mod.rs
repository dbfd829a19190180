//! Commands that read: apps, windows, trees, elements and events.

pub(crate) mod apps;
pub(crate) mod attributes;
pub(crate) mod find;
pub(crate) mod tree;
pub(crate) mod watch;
pub(crate) mod windows;
