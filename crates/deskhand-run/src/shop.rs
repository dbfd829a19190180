//! What all sessions of a server share: how programs are held. A sandbox they do not share.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError, Weak},
    time::Duration,
};

use deskhand_sandbox::{Bounds, Broker, How, Network, Plan};

use crate::{
    Error, Workshop,
    claim::Claims,
    floor::Floor,
    output::{self, Shelf},
};

/// How a server runs programs.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The program that starts all others, and the word that makes it do so.
    pub broker: Broker,
    /// Who holds programs to their scope.
    pub confinement: How,
    /// The one scope of all sessions; absent when each has its own.
    pub scope: Option<PathBuf>,
    /// The folders of the server itself, which no client has as its scope.
    pub own: Vec<PathBuf>,
    /// What of the network can be reached; absent when whoever opens a workshop says.
    pub network: Option<Network>,
    /// How much one program may use.
    pub bounds: Bounds,
    /// What outside the scope may be read beside the system.
    pub readable: Vec<PathBuf>,
    /// Folders that no command may change, also where they lie in the scope: those of tools.
    pub fixed: Vec<PathBuf>,
    /// How much output is kept of one operation.
    pub output: output::Bounds,
    /// The private folder for output that is too long for memory.
    pub folder: PathBuf,
    /// Bytes all outputs in it may have together.
    pub disk: u64,
    /// How many operations a session remembers that are over.
    pub keep: usize,
    /// How long a session remembers them.
    pub keep_for: Duration,
    /// How many operations of a session run at once.
    pub at_once: usize,
    /// How long an operation may run that says nothing about it.
    pub timeout: Duration,
    /// How many terminals a session may have open.
    pub terminals: usize,
    /// How long a terminal stays open that nobody uses.
    pub terminal_idle: Duration,
}

impl Setup {
    /// The usual setup.
    pub fn new(broker: Broker, folder: PathBuf) -> Self {
        Self {
            broker,
            confinement: How::Kernel,
            scope: None,
            own: Vec::new(),
            network: None,
            bounds: Bounds::default(),
            readable: Vec::new(),
            fixed: Vec::new(),
            output: output::Bounds::default(),
            folder,
            disk: 1 << 30,
            keep: 100,
            keep_for: Duration::from_hours(1),
            at_once: 16,
            timeout: Duration::from_mins(5),
            terminals: 8,
            terminal_idle: Duration::from_mins(30),
        }
    }
}

/// Opens workshops; one a server.
#[derive(Debug)]
pub struct Shop {
    setup: Arc<Setup>,
    shelf: Arc<Shelf>,
    /// What was tried out and no session works in yet.
    spare: Mutex<Vec<Weak<Floor>>>,
}

impl Shop {
    /// A shop; nothing is started yet.
    pub fn new(setup: Setup) -> Self {
        let shelf = Arc::new(Shelf::new(setup.folder.clone(), setup.disk));
        Self { setup: Arc::new(setup), shelf, spare: Mutex::default() }
    }

    /// The one scope of all sessions, when there is one.
    pub fn scope(&self) -> Option<&Path> {
        self.setup.scope.as_deref()
    }

    /// The scope a client may have that names this folder.
    ///
    /// # Errors
    ///
    /// When it is not there, or is none for clients.
    pub fn claim(&self, folder: &Path) -> Result<PathBuf, Error> {
        let home = std::env::var_os("HOME").map(PathBuf::from);
        Claims { home, own: &self.setup.own }.settle(folder)
    }

    /// What of the network can be reached, when that is fixed.
    pub fn network(&self) -> Option<&Network> {
        self.setup.network.as_ref()
    }

    /// Opens the workshop of a session in a folder. Its sandbox is its own: what programs leave in the
    /// home and in temporary folders is seen by no other session.
    ///
    /// # Errors
    ///
    /// When the folder cannot be a scope, or the kernel cannot enforce it.
    pub fn open(&self, scope: &Path, network: Network) -> Result<Workshop, Error> {
        let plan = self.plan(scope, network)?;
        let floor = match self.taken(&plan) {
            Some(floor) => floor,
            None => self.floor(plan)?,
        };
        Ok(Workshop::new(Arc::clone(&self.setup), floor, Arc::clone(&self.shelf)))
    }

    /// Opens a workshop of the server's own, so that it is known to work. The first session in that
    /// folder gets its sandbox, which is warm by then.
    ///
    /// # Errors
    ///
    /// As for [`Shop::open`].
    pub fn try_out(&self, scope: &Path, network: Network) -> Result<Workshop, Error> {
        let floor = self.floor(self.plan(scope, network)?)?;
        self.spare().push(Arc::downgrade(&floor));
        Ok(Workshop::new(Arc::clone(&self.setup), floor, Arc::clone(&self.shelf)))
    }

    fn plan(&self, scope: &Path, network: Network) -> Result<Plan, Error> {
        let mut plan = Plan::new(scope)?;
        plan.readable.extend_from_slice(&self.setup.readable);
        let inside = self.setup.fixed.iter().filter_map(|folder| folder.canonicalize().ok());
        for folder in inside.filter(|folder| folder.starts_with(&plan.scope)) {
            if !plan.fixed.contains(&folder) {
                plan.fixed.push(folder);
            }
        }
        plan.network = network;
        plan.bounds = self.setup.bounds;
        plan.environment.insert("TERM".to_owned(), "dumb".to_owned());
        Ok(plan)
    }

    fn floor(&self, plan: Plan) -> Result<Arc<Floor>, Error> {
        let (how, broker) = (self.setup.confinement, self.setup.broker.clone());
        Ok(Arc::new(Floor::open(plan, how, broker)?))
    }

    /// Takes what was tried out for a plan; nobody else gets it.
    fn taken(&self, plan: &Plan) -> Option<Arc<Floor>> {
        let mut spare = self.spare();
        spare.retain(|floor| floor.strong_count() > 0);
        let fits = |floor: &Weak<Floor>| floor.upgrade().is_some_and(|floor| floor.plan() == plan);
        let found = spare.iter().position(fits)?;
        spare.swap_remove(found).upgrade()
    }

    fn spare(&self) -> MutexGuard<'_, Vec<Weak<Floor>>> {
        self.spare.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
