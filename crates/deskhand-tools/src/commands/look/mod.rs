//! Tools that look: what runs, what it shows, where things are, what changes.

pub(crate) mod apps;
pub(crate) mod attributes;
pub(crate) mod find;
pub(crate) mod tree;
pub(crate) mod watch;
pub(crate) mod windows;
