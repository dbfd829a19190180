//! The operations and terminals of one client session. All of them end with it.

use std::{
    collections::VecDeque,
    path::{Path, PathBuf},
    sync::Arc,
    thread,
    time::Instant,
};

use parking_lot::Mutex;

use crate::{
    Error, ServiceConfig,
    operation::{
        Admission, CompletionSignal, Operation, OperationObserver, OperationSpec, RunQueue, Runner,
        Work, run,
    },
    output::{OutputStore, SpillFolder},
    session_sandbox::SessionSandbox,
    terminal::{Terminal, TerminalRequest, Terminals},
};

/// Stack size of a thread that runs an operation. Its buffers are on the heap.
const STACK_SIZE: usize = 256 << 10;

/// Maximum number of ids in an error message.
const MAX_LISTED_IDS: usize = 5;

/// Runs the commands of one client session.
#[derive(Debug)]
pub struct CommandSession {
    shared: Arc<SessionShared>,
    history: Mutex<VecDeque<Arc<Operation>>>,
    terminals: Terminals,
}

/// The part of a session that the threads of its operations use.
#[derive(Debug)]
struct SessionShared {
    config: Arc<ServiceConfig>,
    sandbox: Arc<SessionSandbox>,
    queue: RunQueue,
    completion: Arc<CompletionSignal>,
    spill_folder: Arc<SpillFolder>,
}

/// Selects operations. An empty filter selects all.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct OperationFilter {
    /// Selects operations with one of these ids.
    pub ids: Vec<String>,
    /// Selects operations whose tool name starts with one of these.
    pub tools: Vec<String>,
}

/// The result of waiting for operations.
#[derive(Debug, Clone, Default)]
pub struct AwaitResult {
    /// Operations that have finished.
    pub finished: Vec<Arc<Operation>>,
    /// Operations that still wait or run.
    pub running: Vec<Arc<Operation>>,
}

impl OperationFilter {
    /// Parses comma-separated lists: `cargo,git` are prefixes of tool names, `op_a1,op_b2` are ids.
    pub fn parse(tools: Option<&str>, ids: Option<&str>) -> Self {
        let split = |text: &str| -> Vec<String> {
            let parts = text.split(',').map(str::trim).filter(|part| !part.is_empty());
            parts.map(str::to_owned).collect()
        };
        Self {
            ids: ids.map(split).unwrap_or_default(),
            tools: tools.map(split).unwrap_or_default(),
        }
    }

    fn matches(&self, operation: &Operation) -> bool {
        let all = self.ids.is_empty() && self.tools.is_empty();
        all || self.ids.iter().any(|id| id == operation.id())
            || self.tools.iter().any(|prefix| operation.tool().starts_with(prefix))
    }
}

impl CommandSession {
    pub(crate) fn new(
        config: Arc<ServiceConfig>,
        sandbox: Arc<SessionSandbox>,
        spill_folder: Arc<SpillFolder>,
    ) -> Self {
        let shared = SessionShared {
            queue: RunQueue::new(config.max_running),
            completion: Arc::default(),
            spill_folder,
            config,
            sandbox,
        };
        Self {
            shared: Arc::new(shared),
            history: Mutex::default(),
            terminals: Terminals::default(),
        }
    }

    /// The folder that programs may read and write. Symbolic links are resolved.
    pub fn scope(&self) -> &Path {
        self.shared.sandbox.scope()
    }

    /// Starts an operation in the background, or puts it into the queue.
    ///
    /// # Errors
    ///
    /// Fails if there is nothing to run, a folder is outside the scope, the queue is full, or the session has
    /// ended.
    pub fn start(
        &self,
        spec: OperationSpec,
        observer: OperationObserver,
    ) -> Result<Arc<Operation>, Error> {
        let operation = self.register(spec, observer)?;
        match self.shared.queue.admit(&operation, Runner::Background) {
            Ok(Admission::Run) => self.shared.spawn(Arc::clone(&operation)),
            Ok(Admission::Wait) => {}
            Err(error) => {
                self.forget(&operation);
                return Err(error);
            }
        }
        Ok(operation)
    }

    /// Registers an operation for [`CommandSession::run`]. It can be found and cancelled from now on.
    ///
    /// # Errors
    ///
    /// Same as [`CommandSession::start`].
    pub fn register(
        &self,
        mut spec: OperationSpec,
        observer: OperationObserver,
    ) -> Result<Arc<Operation>, Error> {
        self.resolve_folders(&mut spec.work)?;
        let shared = &self.shared;
        let store = OutputStore::new(shared.config.output_limits, Arc::clone(&shared.spill_folder));
        let mut history = self.history.lock();
        self.forget_old(&mut history);
        self.free_disk_space(&history);
        let id = loop {
            let id = crate::id::generate("op_");
            if !history.iter().any(|known| known.id() == id) {
                break id;
            }
        };
        let operation = Operation::new(id, spec, observer, Arc::clone(&shared.completion), store);
        let operation = Arc::new(operation);
        history.push_back(Arc::clone(&operation));
        Ok(operation)
    }

    /// Waits for the turn of a registered operation and runs it in this thread until it has finished. Another
    /// thread may cancel it.
    ///
    /// # Errors
    ///
    /// Fails if the queue is full or the session has ended.
    pub fn run(&self, operation: &Arc<Operation>) -> Result<(), Error> {
        let shared = &self.shared;
        match shared.queue.admit(operation, Runner::Caller) {
            Ok(Admission::Run) => {}
            Ok(Admission::Wait) => {
                if !operation.await_turn() {
                    return Ok(());
                }
            }
            Err(error) => {
                self.forget(operation);
                return Err(error);
            }
        }
        run(operation, &shared.sandbox, shared.config.default_timeout);
        operation.mark_reported();
        if let Some(next) = shared.queue.release() {
            shared.spawn(next);
        }
        Ok(())
    }

    /// Returns an operation by its id.
    ///
    /// # Errors
    ///
    /// Fails if there is none, or if it was forgotten.
    pub fn operation(&self, id: &str) -> Result<Arc<Operation>, Error> {
        let history = self.history.lock();
        let found = history.iter().find(|operation| operation.id() == id).cloned();
        found.ok_or_else(|| {
            let latest = history.iter().rev().take(MAX_LISTED_IDS);
            let known = latest.map(|operation| operation.id().to_owned()).collect();
            Error::UnknownOperation { id: id.to_owned(), known }
        })
    }

    /// Returns the selected operations, oldest first. Finished ones are included until they are forgotten.
    ///
    /// # Errors
    ///
    /// Fails if an id is unknown.
    pub fn operations(&self, filter: &OperationFilter) -> Result<Vec<Arc<Operation>>, Error> {
        for id in &filter.ids {
            self.operation(id)?;
        }
        let mut history = self.history.lock();
        self.forget_old(&mut history);
        Ok(history.iter().filter(|operation| filter.matches(operation)).cloned().collect())
    }

    /// Waits until all selected operations have finished, the deadline passes, or `should_stop` returns `true`.
    /// Operations named by id are always in the result. Of the others, it contains those that run and those whose
    /// result was not reported yet.
    ///
    /// # Errors
    ///
    /// Fails if an id is unknown.
    pub fn wait(
        &self,
        filter: &OperationFilter,
        deadline: Instant,
        should_stop: &dyn Fn() -> bool,
    ) -> Result<AwaitResult, Error> {
        let mut selected = self.operations(filter)?;
        selected.retain(|operation| {
            let named = filter.ids.iter().any(|id| id == operation.id());
            named || !operation.state().is_over() || operation.is_unreported()
        });
        loop {
            let count = self.shared.completion.count();
            let over = |operation: &Arc<Operation>| operation.state().is_over();
            if selected.iter().all(over)
                || !self.shared.completion.wait(count, deadline, should_stop)
            {
                let (finished, running): (Vec<_>, Vec<_>) = selected.into_iter().partition(over);
                finished.iter().for_each(|operation| operation.mark_reported());
                return Ok(AwaitResult { finished, running });
            }
        }
    }

    /// Starts a program on a terminal.
    ///
    /// # Errors
    ///
    /// Fails if it cannot be started, its folder is outside the scope, or too many terminals are open.
    pub fn open_terminal(&self, mut request: TerminalRequest) -> Result<Arc<Terminal>, Error> {
        self.resolve_folder(&mut request.folder)?;
        let SessionShared { config, sandbox, .. } = &*self.shared;
        self.terminals.open(&request, sandbox, config.max_terminals, config.terminal_idle_timeout)
    }

    /// Returns a terminal by its id.
    ///
    /// # Errors
    ///
    /// Fails if there is none.
    pub fn terminal(&self, id: &str) -> Result<Arc<Terminal>, Error> {
        self.terminals.find(id)
    }

    /// Returns the terminals of the session. Those whose program has ended are included until they are closed or
    /// replaced.
    pub fn terminals(&self) -> Vec<Arc<Terminal>> {
        self.terminals.list()
    }

    /// Closes a terminal and kills its program. Returns the closed terminal.
    ///
    /// # Errors
    ///
    /// Fails if there is none.
    pub fn close_terminal(&self, id: &str) -> Result<Arc<Terminal>, Error> {
        self.terminals.close(id)
    }

    /// Ends everything in the session and refuses new requests. No process of it is left when this returns.
    pub fn shut_down(&self, reason: &str) {
        self.shared.queue.close();
        let all: Vec<_> = self.history.lock().iter().cloned().collect();
        // Newest first: waiting operations must not start when running ones release their slots.
        for operation in all.iter().rev() {
            operation.cancel(reason);
        }
        self.terminals.close_all();
    }

    /// Resolves the folders of an operation, and refuses those outside the scope.
    fn resolve_folders(&self, work: &mut Work) -> Result<(), Error> {
        match work {
            Work::Shell { folder, .. } => self.resolve_folder(folder),
            Work::Steps(steps) if steps.is_empty() => Err(Error::NothingToRun),
            Work::Steps(steps) => {
                steps.iter_mut().try_for_each(|step| self.resolve_folder(&mut step.folder))
            }
        }
    }

    fn resolve_folder(&self, folder: &mut PathBuf) -> Result<(), Error> {
        let scope = self.scope();
        if folder == scope || folder.as_os_str().is_empty() {
            scope.clone_into(folder);
            return Ok(());
        }
        let path = scope.join(&*folder);
        let real = path.canonicalize().map_err(|_| Error::NoFolder { folder: path.clone() })?;
        if !real.starts_with(scope) {
            return Err(Error::OutsideScope { folder: path, scope: scope.to_owned() });
        }
        if !real.is_dir() {
            return Err(Error::NoFolder { folder: path });
        }
        *folder = real;
        Ok(())
    }

    /// Forgets the oldest finished operations and their output.
    fn forget_old(&self, history: &mut VecDeque<Arc<Operation>>) {
        let ServiceConfig { max_history, max_history_age, .. } = &*self.shared.config;
        let now = Instant::now();
        let mut surplus = history
            .iter()
            .filter(|operation| operation.finished_at().is_some())
            .count()
            .saturating_sub(*max_history);
        history.retain(|operation| {
            let Some(at) = operation.finished_at() else { return true };
            let is_surplus = surplus > 0;
            surplus = surplus.saturating_sub(1);
            !is_surplus && now.saturating_duration_since(at) < *max_history_age
        });
    }

    /// Drops the oldest stored outputs until the disk has space for another.
    fn free_disk_space(&self, history: &VecDeque<Arc<Operation>>) {
        let SessionShared { config, spill_folder, .. } = &*self.shared;
        let over = history.iter().filter(|operation| operation.finished_at().is_some());
        for operation in over {
            if spill_folder.available()
                >= config.output_limits.disk.min(config.total_output_bytes / 2)
            {
                break;
            }
            operation.drop_stored_output();
        }
    }

    fn forget(&self, operation: &Arc<Operation>) {
        self.history.lock().retain(|known| !Arc::ptr_eq(known, operation));
    }
}

impl Drop for CommandSession {
    fn drop(&mut self) {
        self.shut_down("its session has ended");
    }
}

impl SessionShared {
    /// Runs an operation in a new thread, followed by background operations from the queue.
    fn spawn(self: &Arc<Self>, operation: Arc<Operation>) {
        let shared = Arc::clone(self);
        let first = Arc::clone(&operation);
        let thread = thread::Builder::new().name("operation".to_owned()).stack_size(STACK_SIZE);
        let spawned = thread.spawn(move || {
            let mut next = Some(first);
            while let Some(operation) = next {
                run(&operation, &shared.sandbox, shared.config.default_timeout);
                drop(operation);
                next = shared.queue.release();
            }
        });
        if let Err(error) = spawned {
            operation.finish(Some(Err(format!("no thread could be started: {error}"))));
            if let Some(next) = self.queue.release() {
                self.spawn(next);
            }
        }
    }
}
