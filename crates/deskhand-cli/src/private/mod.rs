//! Private desktops.

pub(super) mod desktop;
pub(super) mod embedded;
mod environment;
