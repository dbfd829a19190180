//! Seatbelt, the sandbox of macOS, as far as it can be told without a Mac: what a profile says, what a
//! program gets in the place of its home, which processes belong to it, what went wrong. All of it is made
//! from values, and so it is held against what is wanted on every system.

pub(crate) mod command;
pub(crate) mod family;
pub(crate) mod mark;
pub(crate) mod place;
pub(crate) mod profile;
pub(crate) mod verdict;
