//! Tools for programs: start one, look at one, end one.

pub(crate) mod app;
mod arrival;
pub(crate) mod open;
pub(crate) mod quit;
