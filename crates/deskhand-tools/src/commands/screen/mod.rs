//! Commands for displays and screenshots.

pub(crate) mod display;
pub(crate) mod screenshot;
