//! Tools that look at monitors and pixels.

pub(crate) mod display;
pub(crate) mod screenshot;
