//! The system itself: thin bindings, one file a framework, each implementing the traits of a room. Nothing
//! is decided here; whatever can be decided without the system is decided in the rooms.
#![allow(unsafe_code, reason = "the one place that calls the system's own interfaces")]

pub(crate) mod ax;
pub(crate) mod ax_tree;
mod ax_window;
mod capture;
mod display;
mod event;
mod folder_watch;
pub(crate) mod hotkey;
mod layout;
pub(crate) mod machine;
mod observer;
pub(crate) mod pasteboard;
pub(crate) mod permission;
mod process;
mod run_loop;
mod running;
pub(crate) mod script;
mod text;
mod value;
pub(crate) mod vision;
pub(crate) mod window_list;
mod workspace;

use std::sync::Arc;

use deskhand_platform::{Identities, Input, Programs};

use crate::{
    apps::{identity::MacIdentities, programs::MacPrograms},
    input::MacInput,
    window::KeyWindows,
};

/// Pointer and keyboard; the windows tell who would get what is sent.
pub(crate) fn input(windows: Arc<dyn KeyWindows>) -> Box<dyn Input> {
    Box::new(MacInput::new(event::Server, windows))
}

/// Programs that can be started and ended; those that are started do not see some variables.
pub(crate) fn programs(secrets: Vec<String>) -> impl Programs + 'static {
    MacPrograms::without(Arc::new(process::System), secrets)
}

/// What programs are.
pub(crate) fn identities() -> Arc<dyn Identities> {
    Arc::new(MacIdentities::new(Arc::new(process::System)))
}
