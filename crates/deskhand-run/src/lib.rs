//! Command-line tools: how they are declared in files, how they run in the background, and what
//! becomes of their output. What holds them is the sandbox's business, who may call them the
//! engine's.

pub mod mtdf;
pub mod operation;
