//! The Linux backend: namespaces, Landlock and seccomp.

mod broker;
mod confine;
mod container;
mod etc;
mod filesystem;
mod fork;
mod host_paths;
mod init;
mod ipc;
mod landlock_rules;
mod mounts;
mod orphans;
mod pool;
mod privileges;
mod remedy;
mod sandbox;
mod shell;
mod syscalls;
mod timing;
mod wire;

pub use broker::run_broker;
pub use container::{Container, Pty};
pub use sandbox::Sandbox;
pub use shell::PreparedShell;
