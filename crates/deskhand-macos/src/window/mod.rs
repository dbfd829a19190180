//! Lists and arranges top-level windows.
//!
//! The window server knows which windows are on screen, their order and their owners. Titles, the minimized
//! state and all changes go through accessibility. The window server's number joins the two.

mod arrange;
mod ax_window;
mod list;
mod owner;
mod state;
mod window_info;

use std::sync::Arc;

use deskhand_model::Window;
use deskhand_platform::{
    Deadline, Owner, OwnerQuery, RequestRecipient, Result, VisibleWindow, WindowChange,
    WindowState, Windows,
};

use self::{arrange::RestoreFrames, list::WindowCache};
pub(crate) use self::{
    ax_window::{AppNames, WindowAxApi},
    window_info::{WindowInfo, WindowListApi, WindowScope, visible_windows},
};
use crate::{blocking::run_with_deadline, screen::Displays};

/// Windows, and the key window of each app.
pub(crate) trait KeyWindows: Windows {
    /// Returns `true` if the app of a window sends its keyboard events to another one of its windows.
    fn is_other_window_key(&self, window: u64, deadline: Deadline) -> Result<bool>;
}

/// Lists and arranges windows.
pub(crate) struct MacWindows<S: WindowAxApi> {
    shared: Arc<SharedState<S>>,
}

impl<S: WindowAxApi> Clone for MacWindows<S> {
    fn clone(&self) -> Self {
        Self { shared: Arc::clone(&self.shared) }
    }
}

struct SharedState<S: WindowAxApi> {
    system: Arc<S>,
    cache: WindowCache<S::Element>,
    restore_frames: RestoreFrames,
}

impl<S: WindowAxApi + WindowListApi + Displays> MacWindows<S> {
    pub(crate) fn new(system: Arc<S>) -> Self {
        let (cache, restore_frames) = (WindowCache::default(), RestoreFrames::default());
        Self { shared: Arc::new(SharedState { system, cache, restore_frames }) }
    }

    /// Runs a blocking operation until the deadline.
    fn run<T: Send + 'static>(
        &self,
        deadline: Deadline,
        operation: impl FnOnce(&SharedState<S>) -> Result<T> + Send + 'static,
    ) -> Result<T> {
        let shared = Arc::clone(&self.shared);
        run_with_deadline(deadline, "the window server", move || operation(&shared))
    }
}

impl<S: WindowAxApi + WindowListApi + Displays> Windows for MacWindows<S> {
    fn list(&self, deadline: Deadline) -> Result<Vec<Window>> {
        self.run(deadline, move |shared| list::list(&*shared.system, &shared.cache, deadline))
    }

    fn state(&self, window: u64, deadline: Deadline) -> Result<WindowState> {
        self.run(deadline, move |shared| state::state(&*shared.system, window, deadline))
    }

    fn owners(&self, of: OwnerQuery, deadline: Deadline) -> Result<Vec<Owner>> {
        self.run(deadline, move |shared| owner::owners(&*shared.system, of, deadline))
    }

    fn visible(&self, deadline: Deadline) -> Result<Vec<VisibleWindow>> {
        self.run(deadline, |shared| {
            Ok(visible_windows(&shared.system.windows(WindowScope::OnScreen)?))
        })
    }

    fn arrange(
        &self,
        window: u64,
        change: WindowChange,
        deadline: Deadline,
    ) -> Result<RequestRecipient> {
        self.run(deadline, move |shared| {
            arrange::arrange(&*shared.system, &shared.restore_frames, window, change, deadline)
        })
    }
}

impl<S: WindowAxApi + WindowListApi + Displays> KeyWindows for MacWindows<S> {
    fn is_other_window_key(&self, window: u64, deadline: Deadline) -> Result<bool> {
        self.run(deadline, move |shared| {
            owner::is_other_window_key(&*shared.system, window, deadline)
        })
    }
}

#[cfg(test)]
pub(crate) use self::window_info::tests as fixture;
#[cfg(test)]
mod tests;
