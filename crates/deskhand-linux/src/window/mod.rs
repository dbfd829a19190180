//! Top-level windows over X11: what there is, and changes to it through the window manager.

mod arrange;
mod ewmh;
mod fault;
mod frame;
mod list;
mod names;
mod owner;
mod shown;
mod state;
mod unmanaged;

use std::sync::Arc;

use deskhand_model::Window;
use deskhand_platform::{
    Arrange, Asked, Deadline, Owner, Result, Shown, Whose, WindowState, Windows,
};

use self::fault::{Fault, gone};
pub(crate) use self::{
    list::list,
    owner::{chain, of_chain},
    shown::shown,
};
use crate::x11::{Server, X11};

/// Lists and arranges windows over X11.
pub(crate) struct XWindows {
    x11: Arc<X11>,
}

impl XWindows {
    pub(crate) fn new(x11: Arc<X11>) -> Self {
        Self { x11 }
    }

    /// Runs something on one window.
    fn on<T: Send + 'static>(
        &self,
        window: u64,
        by: Deadline,
        job: impl FnOnce(&Server, u32) -> std::result::Result<T, Fault> + Send + 'static,
    ) -> Result<T> {
        let id = u32::try_from(window).map_err(|_| gone(window))?;
        self.x11.run(by, move |server| match job(server, id) {
            Ok(done) => Ok(Ok(done)),
            Err(fault) => fault.or_trouble(window).map(Err),
        })?
    }
}

impl Windows for XWindows {
    fn list(&self, by: Deadline) -> Result<Vec<Window>> {
        self.x11.run(by, list)
    }

    fn state(&self, window: u64, by: Deadline) -> Result<WindowState> {
        self.on(window, by, state::state)
    }

    fn owners(&self, of: Whose, by: Deadline) -> Result<Vec<Owner>> {
        self.x11.run(by, move |server| owner::owners(server, of))
    }

    fn shown(&self, by: Deadline) -> Result<Vec<Shown>> {
        self.x11.run(by, shown)
    }

    fn arrange(&self, window: u64, change: Arrange, by: Deadline) -> Result<Asked> {
        self.on(window, by, move |server, id| arrange::arrange(server, id, change))
    }
}
