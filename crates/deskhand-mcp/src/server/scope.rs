//! The folder that confines the commands of a session, if the server has no fixed one: the first
//! root of the client. It is set once; a client whose roots change needs a new session.

use std::{collections::HashSet, path::Path, sync::Arc};

use deskhand_engine::{CallFailure, SessionKey};
use parking_lot::Mutex;
use rmcp::model::ErrorData;

use super::{
    client::{Client, Era},
    state::Connection,
};
use crate::{input::roots, timing};

/// The notification that the client's roots have changed.
pub(crate) const ROOTS_LIST_CHANGED: &str = "notifications/roots/list_changed";

/// Sessions whose commands are confined to a root of their client.
#[derive(Debug, Default)]
pub(crate) struct SessionScopes(Mutex<HashSet<Arc<str>>>);

impl SessionScopes {
    /// Returns `true` if the session is confined to a root.
    pub(crate) fn contains(&self, session: &str) -> bool {
        self.0.lock().contains(session)
    }

    /// Removes a session.
    pub(crate) fn remove(&self, session: &str) {
        self.0.lock().remove(session);
    }

    fn insert(&self, session: &Arc<str>) {
        self.0.lock().insert(Arc::clone(session));
    }
}

/// Creates the error of a session that ended because the client's roots changed.
pub(crate) fn roots_changed_error() -> ErrorData {
    let why = "session ended: its commands are confined to the client's first local root, and the \
                client's roots have changed; start a new session";
    ErrorData::invalid_request(why, None)
}

/// Confines the commands of a session to a folder of its client, if the client chooses the scope.
///
/// # Errors
///
/// Returns an error if the folder is not allowed for clients.
pub(crate) fn confine(
    connection: &Connection,
    key: &SessionKey,
    folder: &Path,
) -> Result<(), CallFailure> {
    let SessionKey::Id(session) = key else { return Ok(()) };
    if client_chooses_scope(connection) && connection.state.engine.set_command_scope(key, folder)? {
        connection.state.session_scopes.insert(session);
    }
    Ok(())
}

/// Waits for the client's roots, if the client chooses the scope. After a short wait the request is
/// sent again on the stream of this call, because the client may not read any other stream.
pub(crate) async fn wait_for_roots(connection: &Arc<Connection>, client: &Client) {
    let has_roots = matches!(client.era, Era::Handshake(_)) && client.capabilities.roots.is_some();
    if !has_roots || !client_chooses_scope(connection) {
        return;
    }
    if tokio::time::timeout(timing::PENDING_ROOTS_TIMEOUT, connection.roots.wait_known())
        .await
        .is_ok()
    {
        return;
    }
    tokio::select! {
        () = connection.roots.wait_known() => {}
        () = roots::request_roots_again(connection, client) => {}
        () = client.cancel.cancelled() => {}
        () = tokio::time::sleep(timing::CALL_ROOTS_TIMEOUT) => {}
    }
}

/// Returns `true` if clients choose the folder their commands are confined to.
fn client_chooses_scope(connection: &Connection) -> bool {
    let engine = &connection.state.engine;
    engine.runs_commands() && engine.fixed_scope().is_none()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_scope_stays_until_the_session_ends() {
        let scopes = SessionScopes::default();
        scopes.insert(&"a".into());
        assert!(scopes.contains("a") && !scopes.contains("b"));
        scopes.remove("a");
        assert!(!scopes.contains("a"));
    }
}
