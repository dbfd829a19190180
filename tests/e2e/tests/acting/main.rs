//! Actions on apps. Each test checks the effect in the app itself.

mod actions;
mod bad_input;
mod delayed_effects;
mod faults;
mod hidden_duplicates;
mod named_targets;
mod pointer;
mod reactions;
mod tasks;
mod unicode;
mod without_tree;
