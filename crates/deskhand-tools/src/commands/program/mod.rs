//! Commands for programs: start, inspect, end.

pub(crate) mod app;
mod arrival;
pub(crate) mod open;
pub(crate) mod quit;
