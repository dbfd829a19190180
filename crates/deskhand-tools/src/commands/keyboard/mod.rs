//! Commands that use the keyboard.

pub(crate) mod key;
