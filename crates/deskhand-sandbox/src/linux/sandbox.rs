//! The server's side of a sandbox.

use std::{
    io,
    os::fd::AsFd,
    process::{Child, Command, Stdio},
    sync::Arc,
};

use super::{broker, held::Cell, pool::Pool, remedy::unenforced, shell::Shell, wire};
use crate::{Broker, Error, How, Plan, probe};

/// Runs programs held to one plan. With it end all of them.
#[derive(Debug)]
pub struct Sandbox {
    pool: Arc<Pool>,
    broker: Child,
    plan: Plan,
}

impl Sandbox {
    /// Starts the broker of a plan, and tries whether it holds.
    ///
    /// # Errors
    ///
    /// When the kernel cannot enforce the plan, or does not.
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
        let message = wire::written(&(&plan, how)).map_err(gone)?;
        wire::send(&ours, b"plan", &[message.as_fd()]).map_err(gone)?;
        match wire::receive(&ours).map_err(gone)? {
            Some((words, _)) if words == broker::READY => {}
            Some((words, _)) => {
                return Err(unenforced(String::from_utf8_lossy(&words).into_owned()));
            }
            None => return Err(unenforced("its broker ended at once".to_owned())),
        }
        let sandbox = Self { pool: Pool::new(ours)?, broker, plan };
        probe::tried(&sandbox, how)?;
        Ok(sandbox)
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
        self.pool.cell()
    }

    /// A shell that is ready for a script.
    ///
    /// # Errors
    ///
    /// As for a cell.
    pub fn shell(&self) -> Result<Shell, Error> {
        let (cell, script, output) = self.pool.shell()?;
        Ok(Shell::new(cell, script, output))
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.pool.close();
        // It may have ended before.
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
