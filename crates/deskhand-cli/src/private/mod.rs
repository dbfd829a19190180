//! Private desktops, where this platform has them.

pub(super) mod desktop;
pub(super) mod embedded;
mod handed;
