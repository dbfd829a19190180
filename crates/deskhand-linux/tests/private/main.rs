//! Private desktops, made of real processes: how they come up, what they keep apart, how they end.
#![allow(clippy::unwrap_used, reason = "a helper of a test fails like the test")]
#![allow(clippy::print_stdout, reason = "other processes of the tests answer on stdout")]

mod actor;
mod ends;
mod look;
mod starts;
mod sweeps;
