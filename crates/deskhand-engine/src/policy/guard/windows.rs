//! Windows with app rules applied.

use std::sync::Arc;

use deskhand_model::Window;
use deskhand_platform::{
    Deadline, Owner, OwnerQuery, RequestRecipient, Result, VisibleWindow, WindowChange,
    WindowState, Windows,
};

use super::checker::{AccessChecker, check_read, check_write};
use crate::policy::apps::AppAccess;

/// The title of the windows of blocked apps.
const BLOCKED_TITLE: &str = "(blocked by security policy)";

pub(super) struct GuardedWindows {
    pub(super) inner: Arc<dyn Windows>,
    pub(super) checker: Arc<AccessChecker>,
}

impl GuardedWindows {
    fn access(&self, window: u64, deadline: Deadline) -> Result<(AppAccess, String)> {
        let owners = self.inner.owners(OwnerQuery::Window(window), deadline)?;
        Ok(self.checker.owners_access(&owners))
    }
}

impl Windows for GuardedWindows {
    fn list(&self, deadline: Deadline) -> Result<Vec<Window>> {
        let mut all = self.inner.list(deadline)?;
        if !self.checker.has_blocked_apps() {
            return Ok(all);
        }
        for window in &mut all {
            if self.access(window.id, deadline)?.0 == AppAccess::None {
                window.title = BLOCKED_TITLE.to_owned();
            }
        }
        Ok(all)
    }

    fn state(&self, window: u64, deadline: Deadline) -> Result<WindowState> {
        if self.checker.has_blocked_apps() {
            let (access, app) = self.access(window, deadline)?;
            check_read(access, app)?;
        }
        self.inner.state(window, deadline)
    }

    fn owners(&self, of: OwnerQuery, deadline: Deadline) -> Result<Vec<Owner>> {
        self.inner.owners(of, deadline)
    }

    fn visible(&self, deadline: Deadline) -> Result<Vec<VisibleWindow>> {
        self.inner.visible(deadline)
    }

    fn arrange(
        &self,
        window: u64,
        change: WindowChange,
        deadline: Deadline,
    ) -> Result<RequestRecipient> {
        self.checker.check_not_halted()?;
        let owners = self.inner.owners(OwnerQuery::Window(window), deadline)?;
        if !owners.is_empty() {
            let (access, app) = self.checker.owners_access(&owners);
            check_write(access, app)?;
        }
        self.inner.arrange(window, change, deadline)
    }
}
