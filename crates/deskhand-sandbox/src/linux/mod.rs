//! Linux: namespaces, Landlock and seccomp.

mod broker;
mod calls;
mod cell;
mod files;
mod fork;
mod rights;
mod sandbox;
mod view;
mod wire;

pub use broker::broker;
pub use cell::{Ended, Request};
pub use sandbox::{Cell, Sandbox};
