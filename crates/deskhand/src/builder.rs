//! The options of a session.

use std::{
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use deskhand_engine::{
    AppRules, Approvals, AuditLog, CallLimiter, Engine, Gate, Halt, Policy, RateLimits, SessionKey,
    WaitMode,
    approvals::DEFAULT_LIFETIME,
    audit_log::RotationPolicy,
    run::{BrokerCommand, CommandService, ServiceConfig},
};
use deskhand_platform::{Folders, Machine};

use crate::{
    Error, Session,
    helper_process::helper_processes,
    host::{self, HelperProcesses},
    trusted_file::read_trusted,
};

/// The desktop that a session works on.
#[derive(Debug, Clone, Copy)]
enum DesktopChoice {
    /// The desktop of this process.
    OfProcess,
    /// A new private desktop.
    Private,
}

/// The options of a [`Session`]. [`open`](Self::open) opens it.
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
#[derive(Debug, Clone)]
pub struct SessionBuilder {
    desktop: DesktopChoice,
    screen_size: Option<(u32, u32)>,
    policy: Policy,
    rate_limits: RateLimits,
    timeout: Option<Duration>,
    command_scope: Option<PathBuf>,
    records_folder: Option<PathBuf>,
    hidden_variables: Vec<String>,
}

impl Default for SessionBuilder {
    fn default() -> Self {
        Self {
            desktop: DesktopChoice::OfProcess,
            screen_size: None,
            policy: Policy::default(),
            rate_limits: RateLimits::default(),
            timeout: None,
            command_scope: None,
            records_folder: None,
            hidden_variables: Vec::new(),
        }
    }
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

    /// Sets the security policy (default: normal mode, writes allowed).
    #[must_use]
    pub fn policy(self, policy: Policy) -> Self {
        Self { policy, ..self }
    }

    /// Sets the rate limits (default: those of the command line and of servers).
    #[must_use]
    pub fn rate_limits(self, rate_limits: RateLimits) -> Self {
        Self { rate_limits, ..self }
    }

    /// Sets the timeout for reads, and for waiting until an element is ready (default: 2 s for
    /// reads, 5 s for actions).
    #[must_use]
    pub fn timeout(self, timeout: Duration) -> Self {
        Self { timeout: Some(timeout), ..self }
    }

    /// Sets the folder that commands run in, and the only one they can change (default: the
    /// working folder).
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
    /// - `config_unreadable`, `config_unsafe` or an error in `security.toml`
    /// - `invalid_scope` if the folder of [`command_scope`](Self::command_scope) cannot be used
    pub fn open(self) -> Result<Session, Error> {
        let helpers = helper_processes();
        let private = match self.desktop {
            DesktopChoice::Private => Some(host::start_private(self.screen_size)?),
            DesktopChoice::OfProcess => None,
        };
        let hidden_variables = self.hidden_variables.clone();
        let opened = host::open(private.as_ref(), hidden_variables, helpers);
        let opened = opened.map_err(Error::from_explained)?;
        let folders = host::folders();
        let gate = self.gate(&folders, opened.machine)?;
        let engine = Engine::new(opened.desktop, opened.refs, self.timeout, gate);
        let engine = match helpers {
            HelperProcesses::Available => {
                engine.with_commands(command_service(&folders)?, WaitMode::UntilDone)
            }
            HelperProcesses::Unavailable => engine,
        };
        self.set_command_scope(&engine)?;
        Ok(Session::new(engine, private, helpers))
    }

    /// Sets the scope of commands. An unsuitable default is not an error until a command runs.
    fn set_command_scope(&self, engine: &Engine) -> Result<(), Error> {
        match &self.command_scope {
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

    /// Builds the checks that every call passes.
    fn gate(&self, folders: &Folders, machine: Arc<dyn Machine>) -> Result<Gate, Error> {
        let apps = Arc::new(app_rules(&folders.config.join("security.toml"))?);
        let limits = CallLimiter::new(&self.rate_limits);
        if let Some(folder) = &self.records_folder {
            return Ok(Gate { policy: self.policy, apps, limits, ..Gate::in_folder(folder) });
        }
        let manual_approvals = folders.config.join("approvals.toml");
        let approvals = folders.state.join("approvals.json");
        Ok(Gate {
            policy: self.policy,
            apps,
            limits,
            audit_log: AuditLog::at(folders.data.join("audit.jsonl"), RotationPolicy::default()),
            approvals: Approvals::at(approvals, &manual_approvals, DEFAULT_LIFETIME),
            halt: Halt::in_folder(folders.runtime.clone(), machine),
        })
    }
}

/// Reads the user's rules about apps.
fn app_rules(file: &Path) -> Result<AppRules, Error> {
    let text = read_trusted(file).map_err(Error::from_explained)?;
    let Some(text) = text else { return Ok(AppRules::default()) };
    AppRules::parse(&text, &file.display().to_string()).map_err(Error::from_explained)
}

/// Configures commands: this program is the broker, and Deskhand's own folders are no scope.
fn command_service(folders: &Folders) -> Result<CommandService, Error> {
    let program = std::env::current_exe().map_err(|why| {
        let message = format!("cannot find the path of this program: {why}");
        Error::new("internal", message, "start it with its full path")
    })?;
    let broker = BrokerCommand { program, argument: host::BROKER.to_owned() };
    let Folders { config, data, state, cache, runtime } = folders;
    let defaults = ServiceConfig::new(broker, cache.join("outputs"));
    let server_folders = [config, data, state, cache, runtime].map(Clone::clone).to_vec();
    Ok(CommandService::new(ServiceConfig { server_folders, ..defaults }))
}
