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
use crate::{
    timing::{UNMAP_POLL_INTERVAL, UNMAP_TIMEOUT},
    x11::{X11Thread, XServer},
};

/// Lists and arranges windows over X11.
pub(crate) struct X11Windows {
    x11: Arc<X11Thread>,
}

impl X11Windows {
    pub(crate) fn new(x11: Arc<X11Thread>) -> Self {
        Self { x11 }
    }

    /// Waits while the window manager minimizes the window, in short steps so that other requests to
    /// the X server are not delayed.
    fn wait_while_minimizing(&self, window: u64, deadline: Deadline) -> Result<()> {
        let limit = deadline.at_most(UNMAP_TIMEOUT);
        while self.run_on(window, deadline, arrange::is_being_minimized)? && !limit.has_passed() {
            std::thread::sleep(UNMAP_POLL_INTERVAL);
        }
        Ok(())
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
        if change == WindowChange::Restore {
            self.wait_while_minimizing(window, deadline)?;
        }
        self.run_on(window, deadline, move |server, id| arrange::arrange(server, id, change))
    }
}
