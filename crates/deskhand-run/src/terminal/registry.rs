//! The terminals of one session.

use std::{sync::Arc, time::Duration};

use parking_lot::Mutex;

use super::{Terminal, TerminalRequest};
use crate::{Error, session_sandbox::SessionSandbox};

/// The open terminals of a session, oldest first.
#[derive(Debug, Default)]
pub(crate) struct Terminals {
    state: Mutex<RegistryState>,
}

#[derive(Debug, Default)]
struct RegistryState {
    terminals: Vec<Arc<Terminal>>,
    closed: bool,
}

impl Terminals {
    /// Opens a terminal. If there are too many, it replaces the oldest one whose program has ended.
    pub(crate) fn open(
        &self,
        request: &TerminalRequest,
        sandbox: &SessionSandbox,
        max_open: usize,
        idle_timeout: Duration,
    ) -> Result<Arc<Terminal>, Error> {
        let mut state = self.state.lock();
        if state.closed {
            return Err(Error::SessionEnded);
        }
        if state.terminals.len() >= max_open {
            let ended = state.terminals.iter().position(|terminal| terminal.exit().is_some());
            let open = state.terminals.len();
            state.terminals.remove(ended.ok_or(Error::TooManyTerminals { open })?);
        }
        let terminal =
            Terminal::open(crate::id::generate("term_"), request, sandbox, idle_timeout)?;
        state.terminals.push(Arc::clone(&terminal));
        Ok(terminal)
    }

    pub(crate) fn find(&self, id: &str) -> Result<Arc<Terminal>, Error> {
        let state = self.state.lock();
        let found = state.terminals.iter().find(|terminal| terminal.id() == id).cloned();
        found.ok_or_else(|| {
            let known = state.terminals.iter().map(|terminal| terminal.id().to_owned()).collect();
            Error::UnknownTerminal { id: id.to_owned(), known }
        })
    }

    pub(crate) fn list(&self) -> Vec<Arc<Terminal>> {
        self.state.lock().terminals.clone()
    }

    /// Closes a terminal and removes it.
    pub(crate) fn close(&self, id: &str) -> Result<Arc<Terminal>, Error> {
        let terminal = self.find(id)?;
        terminal.close()?;
        self.state.lock().terminals.retain(|open| !Arc::ptr_eq(open, &terminal));
        Ok(terminal)
    }

    /// Closes all terminals and refuses new ones.
    pub(crate) fn close_all(&self) {
        let mut state = self.state.lock();
        state.closed = true;
        let terminals = std::mem::take(&mut state.terminals);
        drop(state);
        for terminal in terminals {
            // A program that does not end now ends with its sandbox.
            let _ = terminal.close();
        }
    }
}
