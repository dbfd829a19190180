//! The Linux backend: accessibility over AT-SPI, windows, screen and input over X11, and private
//! desktops.
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
mod session_env;
mod timing;
mod tree;
mod window;
mod x11;

pub use clipboard::{OWNER_PROCESS_ARG, OwnerProcess, run_owner_process};
pub use folders::folders;
pub use input::register_hotkey;
pub use machine::LocalMachine;
pub use memory::disable_core_dumps;
pub use open::{OpenOptions, open, open_hiding_env, open_with};
pub use session::{refs_folder, refs_folder_of};
pub use session_env::SessionEnv;
