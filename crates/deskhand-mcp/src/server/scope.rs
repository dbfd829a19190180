//! The folder that confines the commands of a session, if the server has no fixed one: the first root
//! of the client. It is set once; a client whose roots change needs a new session.

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

/// The notification that the client's roots have changed.
pub(crate) const CHANGED: &str = "notifications/roots/list_changed";

/// Sessions whose commands are confined to a root of their client.
#[derive(Debug, Default)]
pub(crate) struct Fixed(Mutex<HashSet<Arc<str>>>);

impl Fixed {
    /// Returns `true` if the session is confined to a root.
    pub(crate) fn has(&self, session: &str) -> bool {
        self.lock().contains(session)
    }

    /// Removes a session.
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

/// Creates the error of a session that ended because the client's roots changed.
pub(crate) fn changed() -> ErrorData {
    let why = "session ended: its commands are confined to the client's first root, and the client's \
                roots have changed; start a new session";
    ErrorData::invalid_request(why, None)
}

/// Confines the commands of a session to a folder of its client, if the client chooses the scope.
///
/// # Errors
///
/// Returns an error if the folder is not allowed for clients.
pub(crate) fn fix(connection: &Connection, key: &SessionKey, folder: &Path) -> Result<(), Failure> {
    let SessionKey::Of(session) = key else { return Ok(()) };
    if is_clients(connection) && connection.state.engine.claim(key, folder)? {
        connection.state.scopes.note(session);
    }
    Ok(())
}

/// Waits for the client's roots, if the client chooses the scope. After a short wait the request is
/// sent again on the stream of this call, because the client may not read any other stream.
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

/// Returns `true` if clients choose the folder their commands are confined to.
fn is_clients(connection: &Connection) -> bool {
    let engine = &connection.state.engine;
    engine.runs_commands() && engine.fixed_scope().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_stays_until_the_session_ends() {
        let fixed = Fixed::default();
        fixed.note(&"a".into());
        assert!(fixed.has("a") && !fixed.has("b"));
        fixed.forget("a");
        assert!(!fixed.has("a"));
    }
}
