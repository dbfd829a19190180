//! Top-level windows over X11: lists them and changes them through the window manager.

mod arrange;
mod atoms;
mod error;
mod ewmh;
mod frame;
mod list;
mod owner;
mod state;
mod unmanaged;
mod visible;

use std::sync::Arc;

use deskhand_model::Window;
use deskhand_platform::{
    Deadline, Owner, OwnerQuery, RequestRecipient, Result, VisibleWindow, WindowChange,
    WindowState, Windows,
};

use self::error::{WindowError, gone};
pub(crate) use self::{
    list::list,
    owner::{owners_of_chain, window_chain},
    visible::list_visible,
};
use crate::x11::{X11Thread, XServer};

/// Lists and arranges windows over X11.
pub(crate) struct X11Windows {
    x11: Arc<X11Thread>,
}

impl X11Windows {
    pub(crate) fn new(x11: Arc<X11Thread>) -> Self {
        Self { x11 }
    }

    /// Runs `task` on one window.
    fn run_on<T: Send + 'static>(
        &self,
        window: u64,
        deadline: Deadline,
        task: impl FnOnce(&XServer, u32) -> std::result::Result<T, WindowError> + Send + 'static,
    ) -> Result<T> {
        let id = u32::try_from(window).map_err(|_| gone(window))?;
        self.x11.run(deadline, move |server| match task(server, id) {
            Ok(done) => Ok(Ok(done)),
            Err(error) => error.into_platform_error(window).map(Err),
        })?
    }
}

impl Windows for X11Windows {
    fn list(&self, deadline: Deadline) -> Result<Vec<Window>> {
        self.x11.run(deadline, list)
    }

    fn state(&self, window: u64, deadline: Deadline) -> Result<WindowState> {
        self.run_on(window, deadline, state::state)
    }

    fn owners(&self, of: OwnerQuery, deadline: Deadline) -> Result<Vec<Owner>> {
        self.x11.run(deadline, move |server| owner::owners(server, of))
    }

    fn visible(&self, deadline: Deadline) -> Result<Vec<VisibleWindow>> {
        self.x11.run(deadline, list_visible)
    }

    fn arrange(
        &self,
        window: u64,
        change: WindowChange,
        deadline: Deadline,
    ) -> Result<RequestRecipient> {
        self.run_on(window, deadline, move |server, id| arrange::arrange(server, id, change))
    }
}
