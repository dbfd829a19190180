//! The server's side of a sandbox.

use std::{
    io,
    os::fd::AsFd,
    process::{Child, Command, Stdio},
    sync::Arc,
};

use super::{
    broker, container::Container, pool::Pool, remedy::unavailable, shell::PreparedShell, wire,
};
use crate::{BrokerCommand, Enforcement, Error, Plan, probe};

/// Runs programs under one plan. All of them end when the sandbox is dropped.
#[derive(Debug)]
pub struct Sandbox {
    pool: Arc<Pool>,
    broker: Child,
    plan: Plan,
}

impl Sandbox {
    /// Starts the broker of a plan and runs the self-test.
    ///
    /// # Errors
    ///
    /// Fails if the kernel cannot enforce the plan, or if the self-test fails.
    pub fn open(
        plan: &Plan,
        enforcement: Enforcement,
        broker_command: &BrokerCommand,
    ) -> Result<Self, Error> {
        let plan = match enforcement {
            Enforcement::Kernel => plan.clone(),
            Enforcement::None => with_server_environment(plan),
        };
        let (ours, theirs) = wire::pair().map_err(broker_gone)?;
        let broker = Command::new(&broker_command.program)
            .arg(&broker_command.argument)
            .env_clear()
            .current_dir("/")
            .stdin(Stdio::from(theirs))
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .map_err(broker_gone)?;
        let message = wire::to_memfd(&(&plan, enforcement)).map_err(broker_gone)?;
        wire::send(&ours, b"plan", &[message.as_fd()]).map_err(broker_gone)?;
        match wire::receive(&ours).map_err(broker_gone)? {
            Some((message, _)) if message == broker::READY => {}
            Some((message, _)) => {
                return Err(unavailable(String::from_utf8_lossy(&message).into_owned()));
            }
            None => return Err(unavailable("the broker ended right after its start".to_owned())),
        }
        let sandbox = Self { pool: Pool::new(ours)?, broker, plan };
        probe::check(&sandbox, enforcement)?;
        Ok(sandbox)
    }

    /// The plan of the sandbox.
    pub fn plan(&self) -> &Plan {
        &self.plan
    }

    /// Returns a container for one program.
    ///
    /// # Errors
    ///
    /// Fails if the broker is gone, or if the kernel does not confine a new container.
    pub fn container(&self) -> Result<Container, Error> {
        self.pool.container()
    }

    /// Returns a shell for one script.
    ///
    /// # Errors
    ///
    /// Same as [`Sandbox::container`].
    pub fn shell(&self) -> Result<PreparedShell, Error> {
        let (container, script, output) = self.pool.shell()?;
        Ok(PreparedShell::new(container, script, output))
    }
}

impl Drop for Sandbox {
    fn drop(&mut self) {
        self.pool.close();
        // The broker may have ended before.
        let _ = self.broker.wait();
    }
}

/// Returns the plan with the environment of the server, for programs without a sandbox.
fn with_server_environment(plan: &Plan) -> Plan {
    let mut plan = plan.clone();
    let all = std::env::vars_os();
    plan.environment = all
        .filter_map(|(name, value)| Some((name.into_string().ok()?, value.into_string().ok()?)))
        .collect();
    plan
}

fn broker_gone(reason: io::Error) -> Error {
    Error::Gone { reason: reason.to_string() }
}
