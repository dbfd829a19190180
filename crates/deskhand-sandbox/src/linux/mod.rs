//! Linux: namespaces, Landlock and seccomp.

mod broker;
mod calls;
mod cell;
mod confine;
mod etc;
mod files;
mod fork;
mod held;
mod leftovers;
mod mounts;
mod orphans;
mod pool;
mod remedy;
mod rights;
mod sandbox;
mod shell;
mod system;
mod view;
mod wire;

pub use broker::broker;
pub use held::{Cell, Terminal};
pub use sandbox::Sandbox;
pub use shell::Shell;
