//! What all sessions of a server share: how programs are held, and one sandbox a scope.

use std::{
    path::{Path, PathBuf},
    sync::{Arc, Mutex, PoisonError, Weak},
    time::Duration,
};

use deskhand_sandbox::{Bounds, Broker, How, Network, Plan};

use crate::{Error, Workshop, floor::Floor, output};

/// How a server runs programs.
#[derive(Debug, Clone)]
pub struct Setup {
    /// The program that starts all others, and the word that makes it do so.
    pub broker: Broker,
    /// Who holds programs to their scope.
    pub confinement: How,
    /// The one scope of all sessions; absent when each has its own.
    pub scope: Option<PathBuf>,
    /// What of the network can be reached; absent when whoever opens a workshop says.
    pub network: Option<Network>,
    /// How much one program may use.
    pub bounds: Bounds,
    /// What outside the scope may be read beside the system.
    pub readable: Vec<PathBuf>,
    /// How much output is kept of one operation.
    pub output: output::Bounds,
    /// The private folder for output that is too long for memory.
    pub folder: PathBuf,
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
            network: None,
            bounds: Bounds::default(),
            readable: Vec::new(),
            output: output::Bounds::default(),
            folder,
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
    floors: Mutex<Vec<Weak<Floor>>>,
}

impl Shop {
    /// A shop; nothing is started yet.
    pub fn new(setup: Setup) -> Self {
        Self { setup: Arc::new(setup), floors: Mutex::default() }
    }

    /// The one scope of all sessions, when there is one.
    pub fn scope(&self) -> Option<&Path> {
        self.setup.scope.as_deref()
    }

    /// What of the network can be reached, when that is fixed.
    pub fn network(&self) -> Option<&Network> {
        self.setup.network.as_ref()
    }

    /// Opens a workshop in a folder. Workshops of one folder share its sandbox; the last one ends it.
    ///
    /// # Errors
    ///
    /// When the folder cannot be a scope, or the kernel cannot enforce it.
    pub fn open(&self, scope: &Path, network: Network) -> Result<Workshop, Error> {
        let mut plan = Plan::new(scope)?;
        plan.readable.extend_from_slice(&self.setup.readable);
        plan.network = network;
        plan.bounds = self.setup.bounds;
        plan.environment.insert("TERM".to_owned(), "dumb".to_owned());
        let mut floors = self.floors.lock().unwrap_or_else(PoisonError::into_inner);
        floors.retain(|floor| floor.strong_count() > 0);
        let shared = floors.iter().filter_map(Weak::upgrade).find(|floor| *floor.plan() == plan);
        let floor = match shared {
            Some(floor) => floor,
            None => {
                let (how, broker) = (self.setup.confinement, self.setup.broker.clone());
                let floor = Arc::new(Floor::open(plan, how, broker)?);
                floors.push(Arc::downgrade(&floor));
                floor
            }
        };
        drop(floors);
        Ok(Workshop::new(Arc::clone(&self.setup), floor))
    }
}
