//! The server's side of a sandbox.

use std::{
    io,
    os::fd::{AsFd, OwnedFd},
    process::{Child, Command, Stdio},
    sync::{Mutex, MutexGuard, PoisonError},
};

use super::{broker, cell, held::Cell, shell::Shell, wire};
use crate::{Broker, Error, How, Plan};

/// Runs programs held to one plan. With it end all of them.
#[derive(Debug)]
pub struct Sandbox {
    connection: Mutex<OwnedFd>,
    broker: Child,
    plan: Plan,
}

impl Sandbox {
    /// Starts the broker of a plan.
    ///
    /// # Errors
    ///
    /// When the kernel cannot enforce the plan.
    pub fn open(plan: &Plan, how: How, by: &Broker) -> Result<Self, Error> {
        let plan = match how {
            How::Kernel => plan.clone(),
            How::None => plain(plan),
        };
        let (ours, theirs) = wire::pair().map_err(gone)?;
        let broker = Command::new(&by.program)
            .arg(&by.word)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(gone)?;
        let sandbox = Self { connection: Mutex::new(ours), broker, plan };
        let connection = sandbox.connection();
        let message = wire::written(&(&sandbox.plan, how)).map_err(gone)?;
        wire::send(&*connection, b"plan", &[message.as_fd()]).map_err(gone)?;
        let answer = wire::receive(&*connection).map_err(gone)?;
        drop(connection);
        match answer {
            Some((words, _)) if words == broker::READY => Ok(sandbox),
            Some((words, _)) => Err(unenforced(&words)),
            None => Err(Error::Unenforced { why: "its broker ended at once".to_owned() }),
        }
    }

    /// The plan its programs are held to.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// A cell that is ready for a program.
    ///
    /// # Errors
    ///
    /// When the broker is gone, or the kernel does not hold what it held before.
    pub fn cell(&self) -> Result<Cell, Error> {
        let connection = self.connection();
        wire::send(&*connection, broker::CELL, &[]).map_err(gone)?;
        let answer = wire::receive(&*connection).map_err(gone)?;
        drop(connection);
        let files = answer.map(|(_, files)| files).unwrap_or_default();
        let [socket, process]: [OwnedFd; 2] =
            files.try_into().map_err(|_| Error::Gone { why: "its broker has ended".to_owned() })?;
        match wire::receive(&socket).map_err(gone)? {
            Some((words, _)) if words == cell::READY => Ok(Cell::new(socket, process)),
            Some((words, _)) => Err(unenforced(&words)),
            None => Err(Error::Unenforced { why: "a cell ended at once".to_owned() }),
        }
    }

    /// A shell that is ready for a script.
    ///
    /// # Errors
    ///
    /// As for a cell.
    pub fn shell(&self) -> Result<Shell, Error> {
        Ok(Shell { cell: self.cell()? })
    }

    fn connection(&self) -> MutexGuard<'_, OwnedFd> {
        self.connection.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        let connection = self.connection();
        // It ends by itself when nobody is left to serve, with everything it made; it may have already.
        let _ = rustix::net::shutdown(&*connection, rustix::net::Shutdown::Both);
        drop(connection);
        let _ = self.broker.wait();
    }
}

/// Without a sandbox programs have what the server has.
fn plain(plan: &Plan) -> Plan {
    let mut plan = plan.clone();
    let all = std::env::vars_os();
    plan.environment = all
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    plan
}

fn gone(why: io::Error) -> Error {
    Error::Gone { why: why.to_string() }
}

fn unenforced(words: &[u8]) -> Error {
    Error::Unenforced { why: String::from_utf8_lossy(words).into_owned() }
}
