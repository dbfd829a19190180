//! Commands for windows.

pub(crate) mod close;
pub(crate) mod fill;
pub(crate) mod focus;
pub(crate) mod get;
pub(crate) mod minimize;
pub(crate) mod place;
pub(crate) mod state;
