//! The options of a session.

use std::{path::PathBuf, sync::Arc, time::Duration};

use deskhand_engine::{
    CallLimiter, Engine, Gate, Policy, RateLimits, SessionKey, WaitMode, run::CommandService,
};
use deskhand_platform::Machine;

use crate::{
    Error, Session, commands,
    helper_process::helper_processes,
    host::{self, HelperProcesses},
    settings::{self, Flags, Settings, table},
};

/// The desktop that a session works on.
#[derive(Debug, Clone, Copy, Default)]
enum DesktopChoice {
    /// The desktop of this process.
    #[default]
    OfProcess,
    /// A new private desktop.
    Private,
}

/// The options of a [`Session`]. [`open`](Self::open) opens it.
///
/// An option that is not set here has the value of the user's settings: the variables `DESKHAND_…`,
/// `config.toml`, or the default.
///
/// ```no_run
/// # fn main() -> Result<(), deskhand::Error> {
/// use std::time::Duration;
/// use deskhand::{Policy, SecurityMode, Session};
///
/// let session = Session::builder()
///     .private()
///     .screen_size(1280, 800)
///     .policy(Policy { mode: SecurityMode::Safe, ..Policy::default() })
///     .timeout(Duration::from_secs(10))
///     .open()?;
/// # Ok(()) }
/// ```
#[derive(Debug, Clone, Default)]
pub struct SessionBuilder {
    desktop: DesktopChoice,
    screen_size: Option<(u32, u32)>,
    policy: Option<Policy>,
    rate_limits: Option<RateLimits>,
    timeout: Option<Duration>,
    command_scope: Option<PathBuf>,
    records_folder: Option<PathBuf>,
    hidden_variables: Vec<String>,
}

impl SessionBuilder {
    /// Starts a private desktop: headless, separate from the user's, and removed with the session.
    /// Linux only.
    #[must_use]
    pub fn private(self) -> Self {
        Self { desktop: DesktopChoice::Private, ..self }
    }

    /// Sets the screen size of a private desktop in pixels (default: 1920 x 1080).
    #[must_use]
    pub fn screen_size(self, width: u32, height: u32) -> Self {
        Self { screen_size: Some((width, height)), ..self }
    }

    /// Sets the security policy (default: that of the user's settings, which is normal mode with writes
    /// allowed if they set none).
    #[must_use]
    pub fn policy(self, policy: Policy) -> Self {
        Self { policy: Some(policy), ..self }
    }

    /// Sets the rate limits (default: those of the user's settings).
    #[must_use]
    pub fn rate_limits(self, rate_limits: RateLimits) -> Self {
        Self { rate_limits: Some(rate_limits), ..self }
    }

    /// Sets the timeout for reads, and for waiting until an element is ready (default: that of the
    /// user's settings, or 2 s for reads and 5 s for actions).
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout: Some(timeout), ..self }
    }

    /// Sets the folder that commands run in, and the only one they can change (default: that
    /// of the user's settings, or the working folder).
    #[must_use]
    pub fn command_scope(self, folder: impl Into<PathBuf>) -> Self {
        Self { command_scope: Some(folder.into()), ..self }
    }

    /// Stores the audit log and approvals in this folder instead of the user's folders. `deskhand
    /// halt` does not stop such a session.
    #[must_use]
    pub fn records_in(self, folder: impl Into<PathBuf>) -> Self {
        Self { records_folder: Some(folder.into()), ..self }
    }

    /// Hides these environment variables from programs that the session starts. On a private
    /// desktop, programs inherit only variables for the user, the locale and the search path.
    #[must_use]
    pub fn hide_variables(mut self, names: &[&str]) -> Self {
        self.hidden_variables.extend(names.iter().map(|name| (*name).to_owned()));
        self
    }

    /// Opens the session.
    ///
    /// # Errors
    ///
    /// - `no_display` or `timeout` if the desktop cannot be reached
    /// - an error of the private desktop if it cannot be started, for example because Xvfb is not
    ///   installed
    /// - `config_invalid`, `config_unreadable`, `config_unsafe` or an error in `security.toml`
    /// - `invalid_scope` if the folder of [`command_scope`](Self::command_scope) cannot be used
    pub fn open(self) -> Result<Session, Error> {
        let settings = Settings::new(Flags::default());
        let helpers = helper_processes();
        let timeout = match self.timeout {
            Some(timeout) => Some(timeout),
            None => settings.get(&table::TIMEOUT).map_err(Error::from_explained)?,
        };
        let private = match self.desktop {
            DesktopChoice::Private => Some(host::start_private(self.screen_size)?),
            DesktopChoice::OfProcess => None,
        };
        let secrets = settings::secret_variables().into_iter().map(str::to_owned);
        let hidden_variables = secrets.chain(self.hidden_variables.iter().cloned()).collect();
        let opened = host::open(private.as_ref(), hidden_variables, helpers);
        let opened = opened.map_err(Error::from_explained)?;
        let gate = self.gate(&settings, opened.machine)?;
        let engine = Engine::new(opened.desktop, opened.refs, timeout, gate);
        let engine = match helpers {
            HelperProcesses::Available => {
                let service = CommandService::new(commands::service_config(&settings, None)?);
                engine.with_commands(service, WaitMode::UntilDone)
            }
            HelperProcesses::Unavailable => engine,
        };
        self.set_command_scope(&settings, &engine)?;
        Ok(Session::new(engine, private, helpers))
    }

    /// Sets the scope of commands. An unsuitable default is not an error until a command runs.
    fn set_command_scope(&self, settings: &Settings, engine: &Engine) -> Result<(), Error> {
        let configured = settings.get(&table::commands::SCOPE).map_err(Error::from_explained)?;
        match self.command_scope.as_ref().or(configured.as_ref()) {
            Some(folder) => engine.set_command_scope(&SessionKey::Shared, folder).map(drop)?,
            None => {
                if let Ok(folder) = std::env::current_dir() {
                    // The engine stores the reason, and returns it when a command is run.
                    let _ = engine.set_command_scope(&SessionKey::Shared, &folder);
                }
            }
        }
        Ok(())
    }

    /// Builds the checks that every call passes: those of the user's settings, with the options set
    /// here.
    fn gate(&self, settings: &Settings, machine: Arc<dyn Machine>) -> Result<Gate, Error> {
        let mut gate = settings::gate(settings, machine)?;
        if let Some(policy) = self.policy {
            gate.policy = policy;
        }
        if let Some(rate_limits) = &self.rate_limits {
            gate.limits = CallLimiter::new(rate_limits);
        }
        if let Some(folder) = &self.records_folder {
            let Gate { policy, apps, limits, .. } = gate;
            gate = Gate { policy, apps, limits, ..Gate::in_folder(folder) };
        }
        Ok(gate)
    }
}

#[cfg(test)]
mod tests {
    use deskhand_engine::SecurityMode;

    use super::*;

    /// Returns the policy and the audit log of a session with this configuration file.
    fn gate(builder: &SessionBuilder, config: &str) -> Gate {
        let settings = Settings::from_values(Flags::default(), &[], config).unwrap();
        builder.gate(&settings, host::machine()).unwrap()
    }

    #[test]
    fn a_session_uses_the_policy_of_the_configuration_file() {
        let builder = SessionBuilder::default();
        assert_eq!(gate(&builder, "").policy, Policy::default());
        let policy = gate(&builder, "[server]\nsecurity_mode = \"safe\"\n").policy;
        assert_eq!(policy.mode, SecurityMode::Safe);
    }

    #[test]
    fn options_override_the_configuration_file() {
        let builder = SessionBuilder::default().policy(Policy::default());
        let gate = gate(&builder, "[server]\nsecurity_mode = \"sandboxed\"\n");
        assert_eq!(gate.policy, Policy::default());
    }
}
