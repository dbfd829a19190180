//! Work that outlives the call that began it: one table, two ways to speak of it.

pub(crate) mod extension;
pub(crate) mod legacy;
pub(crate) mod store;
