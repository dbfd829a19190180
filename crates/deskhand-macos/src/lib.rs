//! The macOS backend: accessibility over AXUIElement, input, windows and screen over CoreGraphics, AppKit and
//! ScreenCaptureKit.
//!
//! The modules are those of the Linux backend. Each one contains its logic as plain Rust over a small trait that
//! names the system calls it needs. `ffi` implements these traits with thin bindings and is the only module with
//! unsafe code. So the logic is compiled and tested on every system, and only the bindings need a Mac.
#![cfg(any(target_os = "macos", test))]

mod apps;
mod blocking;
mod clipboard;
mod folders;
mod input;
mod machine;
mod memory;
mod permission;
mod screen;
mod script;
mod session;
mod timing;
mod tree;
mod vision;
mod window;

#[cfg(target_os = "macos")]
mod ffi;
#[cfg(target_os = "macos")]
mod open;

pub use folders::folders;
pub use memory::disable_core_dumps;
#[cfg(target_os = "macos")]
pub use open::{LocalMachine, has_display, open, open_hiding_env, register_hotkey};
pub use session::refs_folder;
