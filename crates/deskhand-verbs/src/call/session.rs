//! The state that a caller builds up over its calls: connected apps, aliases, actions, command
//! sessions, and flags for invisible content.

use std::{
    collections::{BTreeSet, VecDeque},
    path::{Path, PathBuf},
    sync::{
        Arc, OnceLock,
        atomic::{AtomicU64, AtomicUsize, Ordering},
    },
    time::{Duration, Instant},
};

use deskhand_model::{App, AppId, Flag};
use deskhand_run::{
    CommandSession, Network, OperationFilter, operation::CancelOutcome, terminal::EchoMode,
};
use parking_lot::Mutex;
use serde_json::Value;

use crate::Result;

/// The kind of input that a terminal expects when text is typed into it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TerminalInput {
    /// A secret, or unknown.
    Secret,
    /// Text that the terminal displays.
    Visible,
}

/// The number of actions that are remembered.
const MAX_RECENT_ACTIONS: usize = 10;

/// The state of one caller.
#[derive(Debug)]
pub struct CallerSession {
    started: Instant,
    connections: Mutex<Vec<Connection>>,
    actions: AtomicU64,
    recent: Mutex<VecDeque<String>>,
    subscriptions: AtomicUsize,
    flags: Mutex<BTreeSet<Flag>>,
    scope: OnceLock<PathBuf>,
    scope_refusal: Mutex<Option<String>>,
    command_sessions: Mutex<CommandSessions>,
}

/// The command sessions of a caller, one for each kind of network access.
#[derive(Debug)]
enum CommandSessions {
    Open(Vec<(Network, Arc<CommandSession>)>),
    Ended,
}

/// An app that a caller is connected to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Connection {
    /// The id of the app.
    pub id: AppId,
    /// The name of the app.
    pub name: String,
    /// The process id of the app.
    pub pid: u32,
    /// The caller's own name for the app.
    pub alias: Option<String>,
}

impl Default for CallerSession {
    fn default() -> Self {
        Self {
            started: Instant::now(),
            connections: Mutex::default(),
            actions: AtomicU64::new(0),
            recent: Mutex::default(),
            subscriptions: AtomicUsize::new(0),
            flags: Mutex::default(),
            scope: OnceLock::new(),
            scope_refusal: Mutex::default(),
            command_sessions: Mutex::new(CommandSessions::Open(Vec::new())),
        }
    }
}

impl CallerSession {
    /// Creates the session of a caller that is gone. Nothing can be started in it.
    pub fn ended() -> Self {
        Self { command_sessions: Mutex::new(CommandSessions::Ended), ..Self::default() }
    }

    /// Adds a connection. An alias names only the app that received it last.
    pub fn connect(&self, app: &App, alias: Option<&str>) -> Connection {
        let mut all = self.connections.lock();
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

    /// Returns the connected apps in the order of their connection.
    pub fn connections(&self) -> Vec<Connection> {
        self.connections.lock().clone()
    }

    /// Returns `true` if the caller is connected to this app.
    pub fn is_connected(&self, app: &AppId) -> bool {
        self.connections.lock().iter().any(|one| one.id == *app)
    }

    /// Returns the process id of the app with this alias.
    pub fn pid_of_alias(&self, alias: &str) -> Option<u32> {
        self.connections
            .lock()
            .iter()
            .find(|one| one.alias.as_deref() == Some(alias))
            .map(|one| one.pid)
    }

    /// Drops the connections to apps that have ended. Returns `true` if there were any.
    pub fn retain_connections(&self, is_running: impl Fn(&AppId) -> bool) -> bool {
        let mut all = self.connections.lock();
        let before = all.len();
        all.retain(|one| is_running(&one.id));
        all.len() < before
    }

    /// Counts an action and remembers its description, which must not contain typed text.
    pub fn record_action(&self, description: String) {
        self.actions.fetch_add(1, Ordering::Relaxed);
        let mut recent = self.recent.lock();
        if recent.len() == MAX_RECENT_ACTIONS {
            recent.pop_front();
        }
        recent.push_back(description);
    }

    /// Returns the descriptions of the latest actions, the newest last.
    pub fn recent_actions(&self) -> Vec<String> {
        let recent = self.recent.lock();
        recent.iter().cloned().collect()
    }

    /// Returns the number of actions.
    pub fn actions(&self) -> u64 {
        self.actions.load(Ordering::Relaxed)
    }

    /// Sets the folder to which the caller's commands are confined. Returns `false` if it was
    /// already set, because it cannot be changed.
    pub fn set_scope(&self, folder: PathBuf) -> bool {
        self.scope.set(folder).is_ok()
    }

    /// Stores the reason why the caller's folder was refused as a sandbox scope.
    pub fn set_scope_refusal(&self, why: &str) {
        let mut refused = self.scope_refusal.lock();
        *refused = Some(format!(": {why}"));
    }

    /// Returns the reason why the caller's folder was refused, starting with a colon.
    pub fn scope_refusal(&self) -> Option<String> {
        self.scope_refusal.lock().clone()
    }

    /// Returns the folder to which the caller's commands are confined, if the caller has set one.
    pub fn scope(&self) -> Option<&Path> {
        self.scope.get().map(PathBuf::as_path)
    }

    /// Returns the command session for this kind of network access and opens it if necessary.
    pub fn command_session(
        &self,
        network: &Network,
        open: impl FnOnce() -> Result<CommandSession>,
    ) -> Result<Arc<CommandSession>> {
        let mut all = self.command_sessions.lock();
        let CommandSessions::Open(all) = &mut *all else {
            return Err(deskhand_run::Error::SessionEnded.into());
        };
        if let Some((_, session)) = all.iter().find(|(of, _)| of == network) {
            return Ok(Arc::clone(session));
        }
        let session = Arc::new(open()?);
        all.push((network.clone(), Arc::clone(&session)));
        Ok(session)
    }

    /// Returns the kind of input that the terminal named in the arguments expects.
    pub fn terminal_input(&self, arguments: &Value) -> TerminalInput {
        let id = arguments.get("terminal_id").or_else(|| arguments.get("id"));
        let id = id.and_then(Value::as_str).unwrap_or_default().trim();
        let found = self.open_command_sessions().into_iter().find_map(|it| it.terminal(id).ok());
        match found.map(|terminal| terminal.echo()) {
            Some(EchoMode::Echoed | EchoMode::Application) => TerminalInput::Visible,
            Some(EchoMode::Hidden) | None => TerminalInput::Secret,
        }
    }

    /// Cancels an operation. Returns `true` if it was running.
    pub fn cancel_operation(&self, id: &str, why: &str) -> bool {
        let found = self.open_command_sessions().into_iter().find_map(|it| it.operation(id).ok());
        found.is_some_and(|operation| operation.cancel(why) == CancelOutcome::Cancelled)
    }

    /// Cancels all operations and closes all terminals. New ones can be started.
    pub fn cancel_operations(&self, why: &str) {
        for session in self.open_command_sessions() {
            for operation in session.operations(&OperationFilter::default()).into_iter().flatten() {
                operation.cancel(why);
            }
            for terminal in session.terminals() {
                // A terminal that is already closed needs nothing more.
                let _ = session.close_terminal(terminal.id());
            }
        }
    }

    /// Cancels everything that runs and refuses new operations.
    pub fn end(&self) {
        let mut all = self.command_sessions.lock();
        let ended = std::mem::replace(&mut *all, CommandSessions::Ended);
        drop(all);
        if let CommandSessions::Open(all) = ended {
            all.iter().for_each(|(_, session)| session.shut_down("its session has ended"));
        }
    }

    fn open_command_sessions(&self) -> Vec<Arc<CommandSession>> {
        match &*self.command_sessions.lock() {
            CommandSessions::Open(all) => {
                all.iter().map(|(_, session)| Arc::clone(session)).collect()
            }
            CommandSessions::Ended => Vec::new(),
        }
    }

    /// Stores the number of the caller's subscriptions.
    pub fn set_subscriptions(&self, count: usize) {
        self.subscriptions.store(count, Ordering::Relaxed);
    }

    /// Returns the number of the caller's subscriptions.
    pub fn subscriptions(&self) -> usize {
        self.subscriptions.load(Ordering::Relaxed)
    }

    /// Adds flags for suspicious content that the caller has read.
    pub fn add_flags(&self, flags: &[Flag]) {
        if !flags.is_empty() {
            self.flags.lock().extend(flags);
        }
    }

    /// Returns the flags that the user has not been told about yet.
    pub fn flags(&self) -> Vec<Flag> {
        self.flags.lock().iter().copied().collect()
    }

    /// Clears the flags after the user has been told about them.
    pub fn clear_flags(&self) {
        self.flags.lock().clear();
    }

    /// Returns the age of the session.
    pub fn age(&self) -> Duration {
        self.started.elapsed()
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
        let session = CallerSession::default();
        session.connect(&app("editor", 1), Some("ed"));
        session.connect(&app("editor", 1), None);
        assert_eq!(session.pid_of_alias("ed"), Some(1));
        session.connect(&app("other", 2), Some("ed"));
        assert_eq!(session.pid_of_alias("ed"), Some(2));
        assert_eq!(session.connections().len(), 2);
        assert!(
            session.retain_connections(|id| id.0 == ":1") && session.pid_of_alias("ed").is_none()
        );
        assert!(session.is_connected(&AppId(":1".to_owned())));
    }

    #[test]
    fn flags_stay_until_they_are_cleared() {
        let session = CallerSession::default();
        session.add_flags(&[]);
        assert!(session.flags().is_empty());
        session.add_flags(&[Flag::HiddenText, Flag::HiddenText]);
        session.add_flags(&[Flag::EscapeSequences]);
        assert_eq!(session.flags(), [Flag::HiddenText, Flag::EscapeSequences]);
        session.clear_flags();
        assert!(session.flags().is_empty());
    }
}
