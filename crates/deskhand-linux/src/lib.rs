//! Linux backend: accessibility over AT-SPI, windows and screen over X11, and private desktops.
#![cfg(target_os = "linux")]

mod apps;
mod clipboard;
mod folders;
#[cfg(feature = "fuzzing")]
pub mod fuzzing;
mod input;
mod machine;
mod memory;
mod open;
pub mod private;
mod screen;
mod session;
mod tree;
mod window;
mod x11;

pub use clipboard::{KEEPER, keep as keep_clipboard};
pub use folders::folders;
pub use input::hotkey;
pub use machine::LocalMachine;
pub use memory::keep_memory;
pub use open::{open, open_without};
pub use session::refs_folder;
