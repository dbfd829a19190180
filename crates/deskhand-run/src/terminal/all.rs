//! The terminals of one session.

use std::{
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use super::{Opening, Terminal};
use crate::{Error, floor::Floor};

/// Terminals that are open, the oldest first.
#[derive(Debug, Default)]
pub(crate) struct Terminals {
    inner: Mutex<Inner>,
}

#[derive(Debug, Default)]
struct Inner {
    all: Vec<Arc<Terminal>>,
    over: Over,
}

/// Whether the session has ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Over {
    #[default]
    No,
    Yes,
}

impl Terminals {
    /// Opens one, in the place of the oldest whose program has ended when there are many.
    pub(crate) fn open(
        &self,
        opening: &Opening,
        floor: &Floor,
        most: usize,
        idle: Duration,
    ) -> Result<Arc<Terminal>, Error> {
        let mut inner = self.inner();
        if inner.over == Over::Yes {
            return Err(Error::Closed);
        }
        if inner.all.len() >= most {
            let ended = inner.all.iter().position(|terminal| terminal.ended().is_some());
            let open = inner.all.len();
            inner.all.remove(ended.ok_or(Error::TooManyTerminals { open })?);
        }
        let terminal = Terminal::open(crate::id::fresh("term_"), opening, floor, idle)?;
        inner.all.push(Arc::clone(&terminal));
        Ok(terminal)
    }

    pub(crate) fn find(&self, id: &str) -> Result<Arc<Terminal>, Error> {
        let inner = self.inner();
        let found = inner.all.iter().find(|terminal| terminal.id() == id).cloned();
        found.ok_or_else(|| {
            let known = inner.all.iter().map(|terminal| terminal.id().to_owned()).collect();
            Error::UnknownTerminal { id: id.to_owned(), known }
        })
    }

    pub(crate) fn all(&self) -> Vec<Arc<Terminal>> {
        self.inner().all.clone()
    }

    /// Closes one, and forgets it.
    pub(crate) fn close(&self, id: &str) -> Result<Arc<Terminal>, Error> {
        let terminal = self.find(id)?;
        terminal.close()?;
        self.inner().all.retain(|open| !Arc::ptr_eq(open, &terminal));
        Ok(terminal)
    }

    /// Closes all, and opens none any more.
    pub(crate) fn end(&self) {
        let mut inner = self.inner();
        inner.over = Over::Yes;
        let all = std::mem::take(&mut inner.all);
        drop(inner);
        for terminal in all {
            // What does not end now ends with its sandbox.
            let _ = terminal.close();
        }
    }

    fn inner(&self) -> MutexGuard<'_, Inner> {
        self.inner.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
