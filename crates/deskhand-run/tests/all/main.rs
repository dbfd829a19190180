//! Operations and terminals in a real sandbox.

mod availability;
mod ends;
mod fixture;
mod operations;
mod outputs;
mod terminals;
