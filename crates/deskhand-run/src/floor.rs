//! The sandbox of one session, made anew when its broker is gone.

use std::{
    path::Path,
    sync::{Arc, Mutex, PoisonError},
};

use deskhand_sandbox::{Broker, Cell, Error, How, Plan, Sandbox, Shell};

/// Where programs of one session run.
#[derive(Debug)]
pub(crate) struct Floor {
    plan: Plan,
    how: How,
    broker: Broker,
    sandbox: Mutex<Arc<Sandbox>>,
}

impl Floor {
    pub(crate) fn open(plan: Plan, how: How, broker: Broker) -> Result<Self, Error> {
        let sandbox = Mutex::new(Arc::new(Sandbox::open(&plan, how, &broker)?));
        Ok(Self { plan, how, broker, sandbox })
    }

    /// What its programs are held to.
    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The folder that may be read and written, without links.
    pub(crate) fn scope(&self) -> &Path {
        &self.plan.scope
    }

    /// A shell for one script.
    pub(crate) fn shell(&self) -> Result<Shell, Error> {
        self.of(Sandbox::shell)
    }

    /// A place for one program.
    pub(crate) fn cell(&self) -> Result<Cell, Error> {
        self.of(Sandbox::cell)
    }

    fn of<T>(&self, ask: impl Fn(&Sandbox) -> Result<T, Error>) -> Result<T, Error> {
        let sandbox = self.sandbox();
        match ask(&sandbox) {
            Err(Error::Gone { .. }) => ask(&*self.renewed(&sandbox)?),
            answer @ (Ok(_)
            | Err(
                Error::Scope { .. }
                | Error::Unenforced { .. }
                | Error::Nested { .. }
                | Error::Leaks { .. }
                | Error::Start { .. },
            )) => answer,
        }
    }

    fn sandbox(&self) -> Arc<Sandbox> {
        Arc::clone(&self.sandbox.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// A new sandbox in place of one that is gone, unless somebody else has made it already.
    fn renewed(&self, gone: &Arc<Sandbox>) -> Result<Arc<Sandbox>, Error> {
        let mut sandbox = self.sandbox.lock().unwrap_or_else(PoisonError::into_inner);
        if Arc::ptr_eq(&sandbox, gone) {
            *sandbox = Arc::new(Sandbox::open(&self.plan, self.how, &self.broker)?);
        }
        Ok(Arc::clone(&sandbox))
    }
}
