//! The operations and terminals of one session. All of them end with it.

use std::{
    collections::VecDeque,
    path::{Path, PathBuf},
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    thread,
    time::Instant,
};

use crate::{
    Error, Setup,
    floor::Floor,
    operation::{Bell, Heard, Job, Line, Listener, Operation, Room, Seat, Work, run},
    output::{Shelf, Store},
    terminal::{Opening, Terminal, Terminals},
};

/// Stack of a thread that runs an operation; what it reads is on the heap.
const STACK: usize = 256 << 10;

/// How many ids an error names.
const NAMED: usize = 5;

/// What one session runs.
#[derive(Debug)]
pub struct Workshop {
    inside: Arc<Inside>,
    history: Mutex<VecDeque<Arc<Operation>>>,
    terminals: Terminals,
}

/// What threads of operations need.
#[derive(Debug)]
struct Inside {
    setup: Arc<Setup>,
    floor: Arc<Floor>,
    line: Line,
    bell: Arc<Bell>,
    shelf: Arc<Shelf>,
}

/// Which operations are meant. Nothing named means all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Filter {
    /// Those with one of these ids.
    pub ids: Vec<String>,
    /// Those whose tool begins with one of these.
    pub tools: Vec<String>,
}

/// What came of waiting for operations.
#[derive(Debug, Clone, Default)]
pub struct Awaited {
    /// Those that are over.
    pub ended: Vec<Arc<Operation>>,
    /// Those that are not.
    pub running: Vec<Arc<Operation>>,
}

impl Filter {
    /// Those that are named by words of a caller: `cargo,git` are beginnings of tools, `op_a1,op_b2` ids.
    pub fn named(tools: Option<&str>, ids: Option<&str>) -> Self {
        let split = |text: &str| -> Vec<String> {
            let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
            parts.map(str::to_owned).collect()
        };
        Self {
            ids: ids.map(split).unwrap_or_default(),
            tools: tools.map(split).unwrap_or_default(),
        }
    }

    fn takes(&self, operation: &Operation) -> bool {
        let all = self.ids.is_empty() && self.tools.is_empty();
        all || self.ids.iter().any(|id| id == operation.id())
            || self.tools.iter().any(|prefix| operation.tool().starts_with(prefix))
    }
}

impl Workshop {
    pub(crate) fn new(setup: Arc<Setup>, floor: Arc<Floor>, shelf: Arc<Shelf>) -> Self {
        let inside =
            Inside { line: Line::new(setup.at_once), bell: Arc::default(), shelf, setup, floor };
        Self {
            inside: Arc::new(inside),
            history: Mutex::default(),
            terminals: Terminals::default(),
        }
    }

    /// The folder programs may read and write, without links.
    pub fn scope(&self) -> &Path {
        self.inside.floor.scope()
    }

    /// Begins a job in the background, or lets it wait for its turn.
    ///
    /// # Errors
    ///
    /// When there is nothing to run, a folder is outside the scope, too many wait, or the session has
    /// ended.
    pub fn begin(&self, job: Job, listener: Listener) -> Result<Arc<Operation>, Error> {
        let operation = self.prepare(job, listener)?;
        match self.inside.line.enter(&operation, Seat::Background) {
            Ok(Room::Now) => self.inside.spawn(Arc::clone(&operation)),
            Ok(Room::Later) => {}
            Err(error) => {
                self.forget(&operation);
                return Err(error);
            }
        }
        Ok(operation)
    }

    /// Registers a job that [`Workshop::run`] will run; it can be found and cancelled from now on.
    ///
    /// # Errors
    ///
    /// As for [`Workshop::begin`].
    pub fn prepare(&self, mut job: Job, listener: Listener) -> Result<Arc<Operation>, Error> {
        self.settle_folders(&mut job.work)?;
        let inside = &self.inside;
        let store = Store::new(inside.setup.output, Arc::clone(&inside.shelf));
        let mut history = self.history();
        self.forget_old(&mut history);
        self.make_room(&history);
        let id = loop {
            let id = crate::id::fresh("op_");
            if !history.iter().any(|known| known.id() == id) {
                break id;
            }
        };
        let operation = Operation::new(id, job, listener, Arc::clone(&inside.bell), store);
        let operation = Arc::new(operation);
        history.push_back(Arc::clone(&operation));
        Ok(operation)
    }

    /// Runs a prepared job in this thread, after its turn has come, until it is over. Another thread may
    /// cancel it.
    ///
    /// # Errors
    ///
    /// When too many wait, or the session has ended.
    pub fn run(&self, operation: &Arc<Operation>) -> Result<(), Error> {
        let inside = &self.inside;
        match inside.line.enter(operation, Seat::Caller) {
            Ok(Room::Now) => {}
            Ok(Room::Later) => {
                if !operation.await_turn() {
                    return Ok(());
                }
            }
            Err(error) => {
                self.forget(operation);
                return Err(error);
            }
        }
        run(operation, &inside.floor, inside.setup.timeout);
        operation.reported();
        if let Some(next) = inside.line.leave() {
            inside.spawn(next);
        }
        Ok(())
    }

    /// An operation by its id.
    ///
    /// # Errors
    ///
    /// When there is none, or it is forgotten.
    pub fn operation(&self, id: &str) -> Result<Arc<Operation>, Error> {
        let history = self.history();
        let found = history.iter().find(|operation| operation.id() == id).cloned();
        found.ok_or_else(|| {
            let latest = history.iter().rev().take(NAMED);
            let known = latest.map(|operation| operation.id().to_owned()).collect();
            Error::UnknownOperation { id: id.to_owned(), known }
        })
    }

    /// The operations that are meant, in the order they were asked for; those that are over are there
    /// until they are forgotten.
    ///
    /// # Errors
    ///
    /// When an id names none.
    pub fn operations(&self, filter: &Filter) -> Result<Vec<Arc<Operation>>, Error> {
        for id in &filter.ids {
            self.operation(id)?;
        }
        let mut history = self.history();
        self.forget_old(&mut history);
        Ok(history.iter().filter(|operation| filter.takes(operation)).cloned().collect())
    }

    /// Waits until all that are meant are over, or the time is, or `stop` says so. Those named by id are
    /// always answered; of the others, those that run and those whose result nobody was given yet.
    ///
    /// # Errors
    ///
    /// When an id names none.
    pub fn wait(
        &self,
        filter: &Filter,
        until: Instant,
        stop: &dyn Fn() -> bool,
    ) -> Result<Awaited, Error> {
        let mut meant = self.operations(filter)?;
        meant.retain(|operation| {
            let named = filter.ids.iter().any(|id| id == operation.id());
            named || !operation.state().is_over() || operation.owes_report()
        });
        loop {
            let count = self.inside.bell.count();
            let over = |operation: &Arc<Operation>| operation.state().is_over();
            if meant.iter().all(over) || self.inside.bell.wait(count, until, stop) == Heard::Nothing
            {
                let (ended, running): (Vec<_>, Vec<_>) = meant.into_iter().partition(over);
                ended.iter().for_each(|operation| operation.reported());
                return Ok(Awaited { ended, running });
            }
        }
    }

    /// Starts a program on a terminal.
    ///
    /// # Errors
    ///
    /// When it cannot be started, its folder is outside the scope, or too many are open.
    pub fn open_terminal(&self, mut opening: Opening) -> Result<Arc<Terminal>, Error> {
        self.settle(&mut opening.folder)?;
        let Inside { setup, floor, .. } = &*self.inside;
        self.terminals.open(&opening, floor, setup.terminals, setup.terminal_idle)
    }

    /// A terminal by its id.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn terminal(&self, id: &str) -> Result<Arc<Terminal>, Error> {
        self.terminals.find(id)
    }

    /// The terminals of the session; those whose program has ended are there until they are closed or
    /// make room.
    pub fn terminals(&self) -> Vec<Arc<Terminal>> {
        self.terminals.all()
    }

    /// Closes a terminal and ends what runs in it; how that ended.
    ///
    /// # Errors
    ///
    /// When there is none.
    pub fn close_terminal(&self, id: &str) -> Result<Arc<Terminal>, Error> {
        self.terminals.close(id)
    }

    /// Ends everything of the session and lets nothing begin any more. Nothing of it runs when this
    /// returns.
    pub fn end(&self, why: &str) {
        self.inside.line.close();
        let all: Vec<_> = self.history().iter().cloned().collect();
        // The youngest first: those that wait must not begin when the others make room.
        for operation in all.iter().rev() {
            operation.cancel(why);
        }
        self.terminals.end();
    }

    /// Makes folders whole, and refuses those outside the scope.
    fn settle_folders(&self, work: &mut Work) -> Result<(), Error> {
        match work {
            Work::Shell { folder, .. } => self.settle(folder),
            Work::Steps(steps) if steps.is_empty() => Err(Error::Nothing),
            Work::Steps(steps) => {
                steps.iter_mut().try_for_each(|step| self.settle(&mut step.folder))
            }
        }
    }

    fn settle(&self, folder: &mut PathBuf) -> Result<(), Error> {
        let scope = self.scope();
        if folder == scope || folder.as_os_str().is_empty() {
            scope.clone_into(folder);
            return Ok(());
        }
        let asked = scope.join(&*folder);
        let real = asked.canonicalize().map_err(|_| Error::NoFolder { folder: asked.clone() })?;
        if !real.starts_with(scope) {
            return Err(Error::OutsideScope { folder: asked, scope: scope.to_owned() });
        }
        if !real.is_dir() {
            return Err(Error::NoFolder { folder: asked });
        }
        *folder = real;
        Ok(())
    }

    /// Forgets the oldest operations that are over, with their output.
    fn forget_old(&self, history: &mut VecDeque<Arc<Operation>>) {
        let Setup { keep, keep_for, .. } = &*self.inside.setup;
        let now = Instant::now();
        let ended = |operation: &Operation| operation.ended();
        let mut surplus = history
            .iter()
            .filter(|operation| ended(operation).is_some())
            .count()
            .saturating_sub(*keep);
        history.retain(|operation| {
            let Some(at) = ended(operation) else { return true };
            let many = surplus > 0;
            surplus = surplus.saturating_sub(1);
            !many && now.saturating_duration_since(at) < *keep_for
        });
    }

    /// Gives up the oldest long outputs when another would find no room on disk.
    fn make_room(&self, history: &VecDeque<Arc<Operation>>) {
        let Inside { setup, shelf, .. } = &*self.inside;
        let over = history.iter().filter(|operation| operation.ended().is_some());
        for operation in over {
            if shelf.left() >= setup.output.whole.min(setup.disk / 2) {
                break;
            }
            operation.give_up_output();
        }
    }

    fn forget(&self, operation: &Arc<Operation>) {
        self.history().retain(|known| !Arc::ptr_eq(known, operation));
    }

    fn history(&self) -> MutexGuard<'_, VecDeque<Arc<Operation>>> {
        self.history.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for Workshop {
    fn drop(&mut self) {
        self.end("its session has ended");
    }
}

impl Inside {
    /// Runs an operation that has a place in a thread of its own, and those after it that want one.
    fn spawn(self: &Arc<Self>, operation: Arc<Operation>) {
        let inside = Arc::clone(self);
        let first = Arc::clone(&operation);
        let thread = thread::Builder::new().name("operation".to_owned()).stack_size(STACK);
        let spawned = thread.spawn(move || {
            let mut next = Some(first);
            while let Some(operation) = next {
                run(&operation, &inside.floor, inside.setup.timeout);
                drop(operation);
                next = inside.line.leave();
            }
        });
        if let Err(error) = spawned {
            operation.finish(Some(Err(format!("there is no thread for it: {error}"))));
            if let Some(next) = self.line.leave() {
                self.spawn(next);
            }
        }
    }
}
