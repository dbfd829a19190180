//! Thin bindings to macOS, one file for each framework. They implement the traits of the other modules and contain no
//! decisions.
#![allow(unsafe_code, reason = "the only module that calls the C and Objective-C APIs of macOS")]

pub(crate) mod ax;
pub(crate) mod ax_tree;
mod ax_window;
mod capture;
mod display;
mod elements;
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
mod timing;
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

/// Pointer and keyboard. `windows` finds the receiver of input.
pub(crate) fn input(windows: Arc<dyn KeyWindows>) -> Box<dyn Input> {
    Box::new(MacInput::new(event::EventServer, windows))
}

/// The programs of this machine. `hidden` are environment variables that started programs do not see.
pub(crate) fn programs(hidden: Vec<String>) -> impl Programs + 'static {
    MacPrograms::hiding_env(Arc::new(process::SystemProcesses), hidden)
}

/// The identities of processes.
pub(crate) fn identities() -> Arc<dyn Identities> {
    Arc::new(MacIdentities::new(Arc::new(process::SystemProcesses)))
}
