//! Windows behind the fence.

use std::sync::Arc;

use deskhand_model::Window;
use deskhand_platform::{
    Arrange, Asked, Deadline, Owner, Result, Shown, Whose, WindowState, Windows,
};

use super::judge::{self, Judge};
use crate::policy::apps::Access;

/// What stands where the title of a window would.
const BLOCKED: &str = "(blocked by security policy)";

pub(super) struct FencedWindows {
    pub(super) inner: Arc<dyn Windows>,
    pub(super) judge: Arc<Judge>,
}

impl FencedWindows {
    fn access(&self, window: u64, by: Deadline) -> Result<(Access, String)> {
        let owners = self.inner.owners(Whose::Window(window), by)?;
        Ok(self.judge.owners(&owners))
    }
}

impl Windows for FencedWindows {
    fn list(&self, by: Deadline) -> Result<Vec<Window>> {
        let mut all = self.inner.list(by)?;
        if !self.judge.hides_some() {
            return Ok(all);
        }
        for window in &mut all {
            if self.access(window.id, by)?.0 == Access::None {
                window.title = BLOCKED.to_owned();
            }
        }
        Ok(all)
    }

    fn state(&self, window: u64, by: Deadline) -> Result<WindowState> {
        if self.judge.hides_some() {
            let (access, app) = self.access(window, by)?;
            judge::read(access, app)?;
        }
        self.inner.state(window, by)
    }

    fn owners(&self, of: Whose, by: Deadline) -> Result<Vec<Owner>> {
        self.inner.owners(of, by)
    }

    fn shown(&self, by: Deadline) -> Result<Vec<Shown>> {
        self.inner.shown(by)
    }

    fn arrange(&self, window: u64, change: Arrange, by: Deadline) -> Result<Asked> {
        self.judge.moving()?;
        let owners = self.inner.owners(Whose::Window(window), by)?;
        if !owners.is_empty() {
            let (access, app) = self.judge.owners(&owners);
            judge::written(access, app)?;
        }
        self.inner.arrange(window, change, by)
    }
}
