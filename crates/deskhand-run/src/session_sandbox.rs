//! The sandbox of one session. It is opened again if its broker is gone.

use std::{path::Path, sync::Arc};

use deskhand_sandbox::{
    BrokerCommand, Container, Enforcement, Error, Plan, PreparedShell, Sandbox,
};
use parking_lot::Mutex;

/// The sandbox in which the programs of one session run.
#[derive(Debug)]
pub(crate) struct SessionSandbox {
    plan: Plan,
    enforcement: Enforcement,
    broker: BrokerCommand,
    sandbox: Mutex<Arc<Sandbox>>,
}

impl SessionSandbox {
    pub(crate) fn open(
        plan: Plan,
        enforcement: Enforcement,
        broker: BrokerCommand,
    ) -> Result<Self, Error> {
        let sandbox = Mutex::new(Arc::new(Sandbox::open(&plan, enforcement, &broker)?));
        Ok(Self { plan, enforcement, broker, sandbox })
    }

    /// The plan of the sandbox.
    pub(crate) fn plan(&self) -> &Plan {
        &self.plan
    }

    /// The folder that programs may read and write. Symbolic links are resolved.
    pub(crate) fn scope(&self) -> &Path {
        &self.plan.scope
    }

    /// Returns a shell for one script.
    pub(crate) fn shell(&self) -> Result<PreparedShell, Error> {
        self.with_sandbox(Sandbox::shell)
    }

    /// Returns a container for one program.
    pub(crate) fn container(&self) -> Result<Container, Error> {
        self.with_sandbox(Sandbox::container)
    }

    /// Calls the sandbox, and opens it again if it is gone.
    fn with_sandbox<T>(&self, call: impl Fn(&Sandbox) -> Result<T, Error>) -> Result<T, Error> {
        let sandbox = Arc::clone(&self.sandbox.lock());
        match call(&sandbox) {
            Err(Error::Gone { .. }) => call(&*self.reopen(&sandbox)?),
            result @ (Ok(_)
            | Err(
                Error::InvalidScope { .. }
                | Error::Unavailable { .. }
                | Error::Nested { .. }
                | Error::Leaks { .. }
                | Error::StartFailed { .. },
            )) => result,
        }
    }

    /// Opens a new sandbox in place of one that is gone, unless another thread has done so.
    fn reopen(&self, gone: &Arc<Sandbox>) -> Result<Arc<Sandbox>, Error> {
        let mut sandbox = self.sandbox.lock();
        if Arc::ptr_eq(&sandbox, gone) {
            *sandbox = Arc::new(Sandbox::open(&self.plan, self.enforcement, &self.broker)?);
        }
        Ok(Arc::clone(&sandbox))
    }
}
