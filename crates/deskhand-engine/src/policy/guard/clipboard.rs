//! Clipboards with app rules applied: content from a blocked app cannot be read.

use std::sync::Arc;

use deskhand_platform::{
    Clipboard, ClipboardChanges, ClipboardContents, ClipboardItem, Deadline, OwnerQuery, Result,
    Selection, Sensitivity, Windows,
};

use super::checker::{AccessChecker, check_read};

pub(super) struct GuardedClipboard {
    pub(super) inner: Box<dyn Clipboard>,
    pub(super) windows: Option<Arc<dyn Windows>>,
    pub(super) checker: Arc<AccessChecker>,
}

impl GuardedClipboard {
    fn require_read(&self, selection: Selection, deadline: Deadline) -> Result<()> {
        let Some(windows) = self.windows.as_ref().filter(|_| self.checker.has_blocked_apps())
        else {
            return Ok(());
        };
        let owners = windows.owners(OwnerQuery::Clipboard(selection), deadline)?;
        if owners.is_empty() {
            return Ok(());
        }
        let (access, app) = self.checker.owners_access_ignoring_allowed(&owners);
        check_read(access, app)
    }
}

impl Clipboard for GuardedClipboard {
    fn desktop_id(&self) -> String {
        self.inner.desktop_id()
    }

    fn contents(&self, selection: Selection, deadline: Deadline) -> Result<ClipboardContents> {
        self.require_read(selection, deadline)?;
        self.inner.contents(selection, deadline)
    }

    fn read(
        &self,
        selection: Selection,
        mime_type: &str,
        deadline: Deadline,
    ) -> Result<Option<Vec<u8>>> {
        self.require_read(selection, deadline)?;
        self.inner.read(selection, mime_type, deadline)
    }

    fn write(
        &self,
        selection: Selection,
        items: Vec<ClipboardItem>,
        sensitivity: Sensitivity,
        deadline: Deadline,
    ) -> Result<()> {
        self.checker.check_not_halted()?;
        self.inner.write(selection, items, sensitivity, deadline)
    }

    fn clear(&self, selection: Selection, deadline: Deadline) -> Result<()> {
        self.checker.check_not_halted()?;
        self.inner.clear(selection, deadline)
    }

    fn watch(&self, selection: Selection, deadline: Deadline) -> Result<Box<dyn ClipboardChanges>> {
        self.inner.watch(selection, deadline)
    }
}
