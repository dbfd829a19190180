//! Top-level windows: list and arrange.
//!
//! The window server knows which windows are shown and in which order, and whose they are; what they are
//! called, whether they are minimized, and every change is their program's business, through accessibility.
//! The two are joined by the window server's number.

mod arrange;
mod elements;
mod list;
mod owner;
mod pane;
mod state;

use std::sync::Arc;

use deskhand_model::Window;
use deskhand_platform::{
    Arrange, Asked, Deadline, Owner, Result, Shown, Whose, WindowState, Windows,
};

use self::{arrange::Before, list::Memory};
pub(crate) use self::{
    elements::{Elements, Program},
    pane::{Pane, Panes, Reach, shown},
};
use crate::{patience::within, screen::Displays};

/// Windows, and which of them their programs give keys to.
pub(crate) trait KeyWindows: Windows {
    /// Whether keys that are sent to the program of a window would go to another window of it.
    fn diverts(&self, window: u64, by: Deadline) -> Result<bool>;
}

/// Lists and arranges windows.
pub(crate) struct MacWindows<G: Elements> {
    parts: Arc<Parts<G>>,
}

impl<G: Elements> Clone for MacWindows<G> {
    fn clone(&self) -> Self {
        Self { parts: Arc::clone(&self.parts) }
    }
}

struct Parts<G: Elements> {
    ground: Arc<G>,
    memory: Memory<G::Element>,
    before: Before,
}

impl<G: Elements + Panes + Displays> MacWindows<G> {
    pub(crate) fn new(ground: Arc<G>) -> Self {
        let (memory, before) = (Memory::default(), Before::default());
        Self { parts: Arc::new(Parts { ground, memory, before }) }
    }

    /// Runs something that asks the system.
    fn ask<T: Send + 'static>(
        &self,
        by: Deadline,
        job: impl FnOnce(&Parts<G>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let parts = Arc::clone(&self.parts);
        within(by, "the window server", move || job(&parts))
    }
}

impl<G: Elements + Panes + Displays> Windows for MacWindows<G> {
    fn list(&self, by: Deadline) -> Result<Vec<Window>> {
        self.ask(by, move |parts| list::list(&*parts.ground, &parts.memory, by))
    }

    fn state(&self, window: u64, by: Deadline) -> Result<WindowState> {
        self.ask(by, move |parts| state::state(&*parts.ground, window, by))
    }

    fn owners(&self, of: Whose, by: Deadline) -> Result<Vec<Owner>> {
        self.ask(by, move |parts| owner::owners(&*parts.ground, of, by))
    }

    fn shown(&self, by: Deadline) -> Result<Vec<Shown>> {
        self.ask(by, |parts| Ok(shown(&parts.ground.panes(Reach::Shown)?)))
    }

    fn arrange(&self, window: u64, change: Arrange, by: Deadline) -> Result<Asked> {
        self.ask(by, move |parts| {
            arrange::arrange(&*parts.ground, &parts.before, window, change, by)
        })
    }
}

impl<G: Elements + Panes + Displays> KeyWindows for MacWindows<G> {
    fn diverts(&self, window: u64, by: Deadline) -> Result<bool> {
        self.ask(by, move |parts| owner::diverts(&*parts.ground, window, by))
    }
}

#[cfg(test)]
pub(crate) use self::pane::tests as fixture;
#[cfg(test)]
mod tests;
