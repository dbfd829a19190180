//! The sandbox, against the real kernel.

mod bench;
mod escapes;
mod lifetimes;
mod refusals;
mod running;
mod tools;
