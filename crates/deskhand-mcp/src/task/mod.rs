//! Tasks: calls that outlive their request. One table serves both protocol eras.

pub(crate) mod extension;
pub(crate) mod legacy;
pub(crate) mod store;
