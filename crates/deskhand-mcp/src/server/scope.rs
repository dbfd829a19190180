//! The folder the commands of a session are bound to, where the server has none for all: the first its
//! client works in. It is fixed once; a client that works elsewhere later needs another session.

use std::{
    collections::HashSet,
    path::Path,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

use deskhand_engine::{Failure, SessionKey};
use rmcp::model::ErrorData;

use super::{
    client::{Client, Era},
    state::Connection,
};
use crate::ask::roots;

/// The notification that a client works in other folders than before.
pub(crate) const CHANGED: &str = "notifications/roots/list_changed";

/// How long a call waits for an answer that is on its way already.
const SOON: Duration = Duration::from_millis(500);

/// How long it waits at most.
const PATIENCE: Duration = Duration::from_secs(10);

/// The sessions whose folders are fixed.
#[derive(Debug, Default)]
pub(crate) struct Fixed(Mutex<HashSet<Arc<str>>>);

impl Fixed {
    /// Whether that of a session is.
    pub(crate) fn has(&self, session: &str) -> bool {
        self.lock().contains(session)
    }

    /// Forgets a session.
    pub(crate) fn forget(&self, session: &str) {
        self.lock().remove(session);
    }

    fn note(&self, session: &Arc<str>) {
        self.lock().insert(Arc::clone(session));
    }

    fn lock(&self) -> MutexGuard<'_, HashSet<Arc<str>>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Why a session ends whose client says that it works elsewhere now.
pub(crate) fn changed() -> ErrorData {
    let why = "the session has ended: its commands are bound to the first folder the client named, \
               and the client's folders have changed; begin another session";
    ErrorData::invalid_request(why, None)
}

/// Binds the commands of a connection to a folder its client named, where the client decides.
///
/// # Errors
///
/// When it is none for clients.
pub(crate) fn fix(connection: &Connection, key: &SessionKey, folder: &Path) -> Result<(), Failure> {
    let SessionKey::Of(session) = key else { return Ok(()) };
    if is_clients(connection) && connection.state.engine.claim(key, folder)? {
        connection.state.scopes.note(session);
    }
    Ok(())
}

/// Waits until a client has named its folders, where its commands are bound to one of them. It is
/// asked again by the call's own stream: a client may read no other.
pub(crate) async fn known(connection: &Arc<Connection>, client: &Client) {
    let may_tell = matches!(client.era, Era::Handshake(_)) && client.capabilities.roots.is_some();
    if !may_tell || !is_clients(connection) {
        return;
    }
    if tokio::time::timeout(SOON, connection.roots.heard()).await.is_ok() {
        return;
    }
    tokio::select! {
        () = connection.roots.heard() => {}
        () = roots::look_again(connection, client) => {}
        () = client.stop.cancelled() => {}
        () = tokio::time::sleep(PATIENCE) => {}
    }
}

/// Whether clients decide what the commands of their sessions are bound to.
fn is_clients(connection: &Connection) -> bool {
    let engine = &connection.state.engine;
    engine.runs_commands() && engine.fixed_scope().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_fixed_stays_until_the_session_ends() {
        let fixed = Fixed::default();
        fixed.note(&"a".into());
        assert!(fixed.has("a") && !fixed.has("b"));
        fixed.forget("a");
        assert!(!fixed.has("a"));
    }
}
