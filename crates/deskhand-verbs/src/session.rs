//! What one caller has set up and done so far: the apps it connected to, the names it gave them,
//! how often it acted, and whether it was shown something no person could have seen.

use std::{
    collections::{BTreeSet, VecDeque},
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, OnceLock, PoisonError,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use deskhand_model::{App, AppId, Flag};
use deskhand_run::{Filter, Network, Workshop, operation::Cancelled, terminal::Echo};
use serde_json::Value;

use crate::Result;

/// The kind of input a terminal expects when text is typed into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TerminalInput {
    /// A secret, or unknown.
    Secret,
    /// Text that the terminal displays.
    Visible,
}

/// How many actions are remembered.
const RECENT: usize = 10;

/// The state of one caller.
#[derive(Debug)]
pub struct Session {
    begun: Instant,
    connections: Mutex<Vec<Connection>>,
    actions: AtomicU64,
    recent: Mutex<VecDeque<String>>,
    subscriptions: AtomicUsize,
    flags: Mutex<BTreeSet<Flag>>,
    scope: OnceLock<PathBuf>,
    refused_scope: Mutex<Option<String>>,
    workshops: Mutex<Workshops>,
}

/// Where a caller's commands run, by what of the network they reach.
#[derive(Debug)]
enum Workshops {
    Open(Vec<(Network, Arc<Workshop>)>),
    Ended,
}

/// An app a caller connected to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    /// The app.
    pub id: AppId,
    /// The name it calls itself.
    pub name: String,
    /// Its process.
    pub pid: u32,
    /// The caller's own name for it.
    pub alias: Option<String>,
}

impl Default for Session {
    fn default() -> Self {
        Self {
            begun: Instant::now(),
            connections: Mutex::default(),
            actions: AtomicU64::new(0),
            recent: Mutex::default(),
            subscriptions: AtomicUsize::new(0),
            flags: Mutex::default(),
            scope: OnceLock::new(),
            refused_scope: Mutex::default(),
            workshops: Mutex::new(Workshops::Open(Vec::new())),
        }
    }
}

impl Session {
    /// The session of a caller that is gone: nothing can be begun in it.
    pub fn ended() -> Self {
        Self { workshops: Mutex::new(Workshops::Ended), ..Self::default() }
    }

    /// Notes a connection. One alias names one app: the latest that got it.
    pub fn connect(&self, app: &App, alias: Option<&str>) -> Connection {
        let mut all = self.lock();
        if let Some(alias) = alias {
            for other in all.iter_mut().filter(|one| one.alias.as_deref() == Some(alias)) {
                other.alias = None;
            }
        }
        let earlier = all.iter().position(|one| one.id == app.id).map(|at| all.remove(at));
        let alias = alias.map(str::to_owned).or_else(|| earlier.and_then(|one| one.alias));
        let connection =
            Connection { id: app.id.clone(), name: app.name.clone(), pid: app.pid, alias };
        all.push(connection.clone());
        connection
    }

    /// The apps connected to, in the order they were.
    pub fn connections(&self) -> Vec<Connection> {
        self.lock().clone()
    }

    /// Whether the caller connected to this app.
    pub fn has(&self, app: &AppId) -> bool {
        self.lock().iter().any(|one| one.id == *app)
    }

    /// The process a caller's own name for an app stands for.
    pub fn named(&self, alias: &str) -> Option<u32> {
        self.lock().iter().find(|one| one.alias.as_deref() == Some(alias)).map(|one| one.pid)
    }

    /// Forgets the connections to apps that are no longer there; whether there were any.
    pub fn retain(&self, there: impl Fn(&AppId) -> bool) -> bool {
        let mut all = self.lock();
        let before = all.len();
        all.retain(|one| there(&one.id));
        all.len() < before
    }

    /// Counts one action, and remembers it for a while; the words tell nothing that was typed.
    pub fn acted(&self, words: String) {
        self.actions.fetch_add(1, Ordering::Relaxed);
        let mut recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        if recent.len() == RECENT {
            recent.pop_front();
        }
        recent.push_back(words);
    }

    /// The last actions, the latest last.
    pub fn recent(&self) -> Vec<String> {
        let recent = self.recent.lock().unwrap_or_else(PoisonError::into_inner);
        recent.iter().cloned().collect()
    }

    /// How many actions there were.
    pub fn actions(&self) -> u64 {
        self.actions.load(Ordering::Relaxed)
    }

    /// Fixes the folder its commands are held to; whether this is the one, since it cannot be changed.
    pub fn set_scope(&self, folder: PathBuf) -> bool {
        self.scope.set(folder).is_ok()
    }

    /// Notes why the folder it named is none its commands could be held to.
    pub fn refuse_scope(&self, why: &str) {
        let mut refused = self.refused_scope.lock().unwrap_or_else(PoisonError::into_inner);
        *refused = Some(format!(": {why}"));
    }

    /// Why the folder it named last is none.
    pub fn refused_scope(&self) -> Option<String> {
        self.refused_scope.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    /// The folder its commands are held to, where it has one of its own.
    pub fn scope(&self) -> Option<&Path> {
        self.scope.get().map(PathBuf::as_path)
    }

    /// Where its commands run, opened when it is not yet.
    pub fn workshop(
        &self,
        network: &Network,
        open: impl FnOnce() -> Result<Workshop>,
    ) -> Result<Arc<Workshop>> {
        let mut all = self.workshops.lock().unwrap_or_else(PoisonError::into_inner);
        let Workshops::Open(all) = &mut *all else {
            return Err(deskhand_run::Error::Closed.into());
        };
        if let Some((_, workshop)) = all.iter().find(|(of, _)| of == network) {
            return Ok(Arc::clone(workshop));
        }
        let workshop = Arc::new(open()?);
        all.push((network.clone(), Arc::clone(&workshop)));
        Ok(workshop)
    }

    /// What the terminal that a call types into asks for.
    pub fn asked(&self, arguments: &Value) -> TerminalInput {
        let id = arguments.get("terminal_id").or_else(|| arguments.get("id"));
        let id = id.and_then(Value::as_str).unwrap_or_default().trim();
        let found = self.open_workshops().into_iter().find_map(|it| it.terminal(id).ok());
        match found.map(|terminal| terminal.echo()) {
            Some(Echo::Shown | Echo::Drawn) => TerminalInput::Visible,
            Some(Echo::Hidden) | None => TerminalInput::Secret,
        }
    }

    /// Ends an operation; whether there was one that ran.
    pub fn cancel_operation(&self, id: &str, why: &str) -> bool {
        let found = self.open_workshops().into_iter().find_map(|it| it.operation(id).ok());
        found.is_some_and(|operation| operation.cancel(why) == Cancelled::Now)
    }

    /// Ends everything that runs, terminals too; more can be begun.
    pub fn cancel_operations(&self, why: &str) {
        for workshop in self.open_workshops() {
            for operation in workshop.operations(&Filter::default()).into_iter().flatten() {
                operation.cancel(why);
            }
            for terminal in workshop.terminals() {
                // One that is closed meanwhile is what is wanted.
                let _ = workshop.close_terminal(terminal.id());
            }
        }
    }

    /// Ends everything that runs, and lets nothing begin any more.
    pub fn end(&self) {
        let mut all = self.workshops.lock().unwrap_or_else(PoisonError::into_inner);
        let ended = std::mem::replace(&mut *all, Workshops::Ended);
        drop(all);
        if let Workshops::Open(all) = ended {
            all.iter().for_each(|(_, workshop)| workshop.end("its session has ended"));
        }
    }

    fn open_workshops(&self) -> Vec<Arc<Workshop>> {
        match &*self.workshops.lock().unwrap_or_else(PoisonError::into_inner) {
            Workshops::Open(all) => all.iter().map(|(_, workshop)| Arc::clone(workshop)).collect(),
            Workshops::Ended => Vec::new(),
        }
    }

    /// Notes how many things the caller is told about as they change.
    pub fn subscribed(&self, count: usize) {
        self.subscriptions.store(count, Ordering::Relaxed);
    }

    /// How many things the caller is told about as they change.
    pub fn subscriptions(&self) -> usize {
        self.subscriptions.load(Ordering::Relaxed)
    }

    /// Notes what was found in content the caller has read.
    pub fn flag(&self, flags: &[Flag]) {
        if !flags.is_empty() {
            self.flags().extend(flags);
        }
    }

    /// What was found in content the caller has read, since a person last knew of it.
    pub fn flagged(&self) -> Vec<Flag> {
        self.flags().iter().copied().collect()
    }

    /// Notes that a person knows of it.
    pub fn clear_flag(&self) {
        self.flags().clear();
    }

    /// How long it has lasted.
    pub fn age(&self) -> Duration {
        self.begun.elapsed()
    }

    fn flags(&self) -> MutexGuard<'_, BTreeSet<Flag>> {
        self.flags.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn lock(&self) -> MutexGuard<'_, Vec<Connection>> {
        self.connections.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

#[cfg(test)]
mod tests {
    use deskhand_model::{NodeId, Toolkit};

    use super::*;

    fn app(name: &str, pid: u32) -> App {
        App {
            id: AppId(format!(":{pid}")),
            name: name.to_owned(),
            pid,
            started: 0,
            bundle_id: None,
            executable: None,
            toolkit: Toolkit::default(),
            root: NodeId::new("root"),
            windows: 1,
            responding: true,
        }
    }

    #[test]
    fn an_alias_names_one_app_and_survives_a_second_connection() {
        let session = Session::default();
        session.connect(&app("editor", 1), Some("ed"));
        session.connect(&app("editor", 1), None);
        assert_eq!(session.named("ed"), Some(1));
        session.connect(&app("other", 2), Some("ed"));
        assert_eq!(session.named("ed"), Some(2));
        assert_eq!(session.connections().len(), 2);
        assert!(session.retain(|id| id.0 == ":1") && session.named("ed").is_none());
        assert!(session.has(&AppId(":1".to_owned())));
    }

    #[test]
    fn a_flag_stays_until_a_person_knows_of_it() {
        let session = Session::default();
        session.flag(&[]);
        assert!(session.flagged().is_empty());
        session.flag(&[Flag::HiddenText, Flag::HiddenText]);
        session.flag(&[Flag::EscapeSequences]);
        assert_eq!(session.flagged(), [Flag::HiddenText, Flag::EscapeSequences]);
        session.clear_flag();
        assert!(session.flagged().is_empty());
    }
}
