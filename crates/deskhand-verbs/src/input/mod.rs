//! Real pointer and keyboard input at points and in windows rather than on elements.

pub mod key_press;
pub mod keys;
pub mod pointer;
