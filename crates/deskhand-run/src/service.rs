//! The command service of a server. All sessions share its configuration; each has its own sandbox.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Weak},
    time::Duration,
};

use deskhand_sandbox::{BrokerCommand, Enforcement, Network, Plan, ResourceLimits};
use parking_lot::Mutex;

use crate::{
    CommandSession, Error,
    client_scope::ClientScopePolicy,
    output::{OutputLimits, SpillFolder},
    session_sandbox::SessionSandbox,
};

/// The configuration of a [`CommandService`].
#[derive(Debug, Clone)]
pub struct ServiceConfig {
    /// The command line of the broker process.
    pub broker: BrokerCommand,
    /// The mechanism that confines programs to their scope.
    pub enforcement: Enforcement,
    /// The scope of all sessions. `None` if each session has its own.
    pub scope: Option<PathBuf>,
    /// The server's own folders. No client may use one as its scope.
    pub server_folders: Vec<PathBuf>,
    /// The network access of all sessions. `None` if the caller of [`CommandService::open_session`] decides.
    pub network: Option<Network>,
    /// The resource limits of one program.
    pub limits: ResourceLimits,
    /// Folders outside the scope that programs may read, in addition to the system.
    pub readable: Vec<PathBuf>,
    /// Folders that commands may only read, even inside the scope, such as folders with tool definitions.
    pub read_only: Vec<PathBuf>,
    /// The amount of output to keep of one operation.
    pub output_limits: OutputLimits,
    /// The private folder for output that does not fit into memory.
    pub output_folder: PathBuf,
    /// Maximum size of all outputs in `output_folder`, in bytes.
    pub total_output_bytes: u64,
    /// Number of finished operations that a session remembers.
    pub max_history: usize,
    /// Time for which a session remembers finished operations.
    pub max_history_age: Duration,
    /// Number of operations of a session that run at once.
    pub max_running: usize,
    /// Timeout of an operation without an explicit one.
    pub default_timeout: Duration,
    /// Number of open terminals of a session.
    pub max_terminals: usize,
    /// Time after which an unused terminal is closed.
    pub terminal_idle_timeout: Duration,
}

impl ServiceConfig {
    /// Creates a configuration with default values.
    pub fn new(broker: BrokerCommand, output_folder: PathBuf) -> Self {
        Self {
            broker,
            enforcement: Enforcement::Kernel,
            scope: None,
            server_folders: Vec::new(),
            network: None,
            limits: ResourceLimits::default(),
            readable: Vec::new(),
            read_only: Vec::new(),
            output_limits: OutputLimits::default(),
            output_folder,
            total_output_bytes: 1 << 30,
            max_history: 100,
            max_history_age: Duration::from_hours(1),
            max_running: 16,
            default_timeout: Duration::from_mins(5),
            max_terminals: 8,
            terminal_idle_timeout: Duration::from_mins(30),
        }
    }
}

/// Opens command sessions. A server has one.
#[derive(Debug)]
pub struct CommandService {
    config: Arc<ServiceConfig>,
    spill_folder: Arc<SpillFolder>,
    /// Sandboxes of trial sessions that no other session uses yet.
    trial_sandboxes: Mutex<Vec<Weak<SessionSandbox>>>,
}

impl CommandService {
    /// Creates a service. It starts no process yet.
    pub fn new(config: ServiceConfig) -> Self {
        let spill_folder =
            SpillFolder::new(config.output_folder.clone(), config.total_output_bytes);
        Self {
            config: Arc::new(config),
            spill_folder: Arc::new(spill_folder),
            trial_sandboxes: Mutex::default(),
        }
    }

    /// The scope of all sessions, if it is fixed.
    pub fn scope(&self) -> Option<&Path> {
        self.config.scope.as_deref()
    }

    /// Checks that a client may use a folder as its scope, and returns the folder with links resolved.
    ///
    /// # Errors
    ///
    /// Fails if the folder does not exist, or if clients may not use it.
    pub fn validate_client_scope(&self, folder: &Path) -> Result<PathBuf, Error> {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        ClientScopePolicy { home, server_folders: &self.config.server_folders }.validate(folder)
    }

    /// The network access of all sessions, if it is fixed.
    pub fn network(&self) -> Option<&Network> {
        self.config.network.as_ref()
    }

    /// Opens a session in a folder. It has its own sandbox, so no other session sees the files that its programs
    /// leave in the home and in temporary folders.
    ///
    /// # Errors
    ///
    /// Fails if the folder cannot be a scope, or if the kernel cannot enforce the sandbox.
    pub fn open_session(&self, scope: &Path, network: Network) -> Result<CommandSession, Error> {
        let plan = self.plan(scope, network)?;
        let sandbox = match self.take_trial_sandbox(&plan) {
            Some(sandbox) => sandbox,
            None => self.open_sandbox(plan)?,
        };
        Ok(self.session(sandbox))
    }

    /// Opens a session for the server itself, to test the sandbox. The first session in the same folder gets the
    /// same sandbox, which has idle containers by then.
    ///
    /// # Errors
    ///
    /// Same as [`CommandService::open_session`].
    pub fn open_trial_session(
        &self,
        scope: &Path,
        network: Network,
    ) -> Result<CommandSession, Error> {
        let sandbox = self.open_sandbox(self.plan(scope, network)?)?;
        self.trial_sandboxes.lock().push(Arc::downgrade(&sandbox));
        Ok(self.session(sandbox))
    }

    fn session(&self, sandbox: Arc<SessionSandbox>) -> CommandSession {
        CommandSession::new(Arc::clone(&self.config), sandbox, Arc::clone(&self.spill_folder))
    }

    fn plan(&self, scope: &Path, network: Network) -> Result<Plan, Error> {
        let mut plan = Plan::new(scope)?;
        plan.readable.extend_from_slice(&self.config.readable);
        let read_only =
            self.config.read_only.iter().filter_map(|folder| folder.canonicalize().ok());
        for folder in read_only.filter(|folder| folder.starts_with(&plan.scope)) {
            if !plan.read_only.contains(&folder) {
                plan.read_only.push(folder);
            }
        }
        plan.network = network;
        plan.limits = self.config.limits;
        plan.environment.insert("TERM".to_owned(), "dumb".to_owned());
        Ok(plan)
    }

    fn open_sandbox(&self, plan: Plan) -> Result<Arc<SessionSandbox>, Error> {
        let (enforcement, broker) = (self.config.enforcement, self.config.broker.clone());
        Ok(Arc::new(SessionSandbox::open(plan, enforcement, broker)?))
    }

    /// Takes the sandbox of a trial session with the same plan. Only one session gets it.
    fn take_trial_sandbox(&self, plan: &Plan) -> Option<Arc<SessionSandbox>> {
        let mut sandboxes = self.trial_sandboxes.lock();
        sandboxes.retain(|sandbox| sandbox.strong_count() > 0);
        let has_plan = |sandbox: &Weak<SessionSandbox>| {
            sandbox.upgrade().is_some_and(|sandbox| sandbox.plan() == plan)
        };
        let found = sandboxes.iter().position(has_plan)?;
        sandboxes.swap_remove(found).upgrade()
    }
}
