//! Private desktops with real processes: how they start, how they are isolated, how they end.
#![allow(clippy::unwrap_used, reason = "a helper of a test fails like the test")]
#![allow(clippy::print_stdout, reason = "other processes of the tests answer on stdout")]

mod actor;
mod ends;
mod observe;
mod stale;
mod starts;
