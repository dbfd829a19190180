//! Acting on apps: every effect is judged by the app itself.

mod actions;
mod bad_input;
mod faults;
mod pointer;
mod tasks;
mod unicode;
