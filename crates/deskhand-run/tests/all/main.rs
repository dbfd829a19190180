//! What runs in the background, against the real sandbox.

mod availability;
mod ends;
mod operations;
mod outputs;
mod place;
mod terminals;
