//! Commands for programs: start, inspect, end.

pub(crate) mod app;
pub(crate) mod open;
pub(crate) mod quit;
