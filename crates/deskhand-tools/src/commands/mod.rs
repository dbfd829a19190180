//! The commands of the CLI, one file each.

pub(crate) mod act;
pub(crate) mod clipboard;
pub(crate) mod keyboard;
pub(crate) mod look;
pub(crate) mod pointer;
pub(crate) mod program;
pub(crate) mod screen;
pub(crate) mod window;
