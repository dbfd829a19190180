//! macOS backend: accessibility over AXUIElement, input, windows and pixels over CoreGraphics, AppKit and
//! ScreenCaptureKit, scripts over osascript.
//!
//! The rooms are those of the Linux backend. Each holds its logic as plain Rust over a small trait that says
//! what it needs of the system; `ground` implements these traits with thin bindings and is the only place
//! with unsafe code. So the logic is compiled and tested on every system, and only the bindings need a Mac.
#![cfg(any(target_os = "macos", test))]

mod apps;
mod clipboard;
mod folders;
mod input;
mod machine;
mod memory;
mod patience;
mod timing;
mod permission;
mod screen;
mod script;
mod session;
mod tree;
mod vision;
mod window;

#[cfg(target_os = "macos")]
mod ground;
#[cfg(target_os = "macos")]
mod open;

pub use folders::folders;
pub use memory::keep_memory;
#[cfg(target_os = "macos")]
pub use open::{LocalMachine, has_display, hotkey, open, open_without};
pub use session::refs_folder;
