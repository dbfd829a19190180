//! What was copied, behind the fence: not told where an app that must not be read copied it.

use std::sync::Arc;

use deskhand_platform::{
    Changes, Clipboard, Contents, Deadline, Item, Mark, Result, Selection, Whose, Windows,
};

use super::judge::{self, Judge};

pub(super) struct FencedClipboard {
    pub(super) inner: Box<dyn Clipboard>,
    pub(super) windows: Option<Arc<dyn Windows>>,
    pub(super) judge: Arc<Judge>,
}

impl FencedClipboard {
    fn may_read(&self, at: Selection, by: Deadline) -> Result<()> {
        let Some(windows) = self.windows.as_ref().filter(|_| self.judge.hides_some()) else {
            return Ok(());
        };
        let owners = windows.owners(Whose::Copied(at), by)?;
        if owners.is_empty() {
            return Ok(());
        }
        let (access, app) = self.judge.against(&owners);
        judge::read(access, app)
    }
}

impl Clipboard for FencedClipboard {
    fn desktop(&self) -> String {
        self.inner.desktop()
    }

    fn look(&self, at: Selection, by: Deadline) -> Result<Contents> {
        self.may_read(at, by)?;
        self.inner.look(at, by)
    }

    fn read(&self, at: Selection, form: &str, by: Deadline) -> Result<Option<Vec<u8>>> {
        self.may_read(at, by)?;
        self.inner.read(at, form, by)
    }

    fn write(&self, at: Selection, items: Vec<Item>, mark: Mark, by: Deadline) -> Result<()> {
        self.judge.moving()?;
        self.inner.write(at, items, mark, by)
    }

    fn clear(&self, at: Selection, by: Deadline) -> Result<()> {
        self.judge.moving()?;
        self.inner.clear(at, by)
    }

    fn watch(&self, at: Selection, by: Deadline) -> Result<Box<dyn Changes>> {
        self.inner.watch(at, by)
    }
}
