//! The roots of a client: the first one can confine the commands of its session, and `.deskhand`
//! folders in them are reported. Roots are only read.
#![expect(deprecated, reason = "roots belong to 2025-11-25 and older, which are served too")]

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use deskhand_engine::SessionKey;
use rmcp::{
    Peer, RoleServer,
    model::{ClientResult, ListRootsRequest, ServerRequest},
    service::PeerRequestOptions,
};
use serde_json::json;
use tokio::sync::watch;
use url::Url;

use crate::server::{
    client::{self, Client, SERVER},
    log::Level,
    scope,
    state::Connection,
};

/// The name of Deskhand's folder in a root.
const FOLDER: &str = ".deskhand";

/// Maximum number of roots that are inspected.
const MOST: usize = 100;

/// The roots of one client.
#[derive(Debug, Default)]
pub(crate) struct Roots {
    asked: AtomicU64,
    found: Mutex<Vec<PathBuf>>,
    heard: watch::Sender<Heard>,
}

/// The state of the roots request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum Heard {
    #[default]
    No,
    /// The client has answered, possibly with an empty list.
    Yes,
}

impl Roots {
    /// Waits until the client has answered.
    pub(crate) async fn heard(&self) {
        // The sender cannot be dropped: `self` owns it.
        let _ = self.heard.subscribe().wait_for(|heard| *heard == Heard::Yes).await;
    }

    fn found(&self) -> MutexGuard<'_, Vec<PathBuf>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns the `.deskhand` folders in the roots of a connection's client.
pub(crate) fn found(connection: &Connection) -> Vec<PathBuf> {
    connection.roots.found().clone()
}

/// Requests the roots of a client that declares them, and inspects them.
pub(crate) async fn look(connection: &Arc<Connection>, peer: &Peer<RoleServer>, key: &SessionKey) {
    if peer.peer_info().is_none_or(|client| client.capabilities.roots.is_none()) {
        return;
    }
    let turn = connection.roots.asked.fetch_add(1, Ordering::Relaxed) + 1;
    connection.roots.heard.send_replace(Heard::No);
    look_into(connection, peer, key, turn).await;
}

/// Sends the roots request again, as a part of one of the client's requests.
pub(crate) async fn look_again(connection: &Arc<Connection>, client: &Client) {
    let turn = connection.roots.asked.load(Ordering::Relaxed);
    look_into(connection, &client.peer, &connection.session(client), turn).await;
}

async fn look_into(
    connection: &Arc<Connection>,
    peer: &Peer<RoleServer>,
    key: &SessionKey,
    turn: u64,
) {
    let listed = ask(connection, peer).await;
    let Some(listed) = listed else {
        connection.roots.heard.send_replace(Heard::Yes);
        return;
    };
    let folders: Vec<PathBuf> = listed.iter().filter_map(|uri| folder(uri)).take(MOST).collect();
    let here = || {
        let first = folders.iter().find(|root| root.is_dir()).cloned();
        (first, folders.into_iter().filter_map(|root| within(&root)).collect::<Vec<_>>())
    };
    let Ok((first, found)) = tokio::task::spawn_blocking(here).await else { return };
    // Only the response to the latest request counts.
    if connection.roots.asked.load(Ordering::Relaxed) != turn {
        return;
    }
    if let Some(Err(refused)) = first.map(|first| scope::fix(connection, key, &first)) {
        let data = json!({ "message": refused.message, "hint": refused.hint });
        client::tell(connection, peer, Level::Warning, SERVER, data).await;
    }
    connection.roots.heard.send_replace(Heard::Yes);
    *connection.roots.found() = found;
    let data = json!({ "folders": listed.len(), "deskhand": self::found(connection) });
    client::tell(connection, peer, Level::Info, SERVER, data).await;
}

async fn ask(connection: &Connection, peer: &Peer<RoleServer>) -> Option<Vec<String>> {
    let request = ServerRequest::ListRootsRequest(ListRootsRequest::default());
    let answered = async {
        let options = PeerRequestOptions::with_timeout(PATIENCE);
        peer.send_request_with_option(request, options).await?.await_response().await
    };
    let result = tokio::select! {
        biased;
        () = connection.gone.cancelled() => return None,
        // A client that does not answer has no roots.
        answered = answered => answered.ok()?,
    };
    let ClientResult::ListRootsResult(result) = result else { return None };
    Some(result.roots.into_iter().map(|root| root.uri).collect())
}

/// Returns the path of a `file` URI on this machine.
fn folder(uri: &str) -> Option<PathBuf> {
    let url = Url::parse(uri).ok().filter(|url| url.scheme() == "file")?;
    url.to_file_path().ok()
}

/// Returns the `.deskhand` folder in a root, if there is one.
fn within(root: &Path) -> Option<PathBuf> {
    let ours = root.join(FOLDER);
    ours.is_dir().then_some(ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_local_file_uris_are_folders() {
        assert_eq!(folder("file:///home/ann/a%20b"), Some(PathBuf::from("/home/ann/a b")));
        for other in ["https://example.org/x", "file://elsewhere/x", "deskhand://apps", "/x", ""] {
            assert_eq!(folder(other), None, "{other}");
        }
    }

    #[test]
    fn a_deskhand_folder_is_found_and_a_file_is_not() {
        let at = std::env::temp_dir().join(format!("deskhand-roots-{}", uuid::Uuid::new_v4()));
        std::fs::create_dir_all(at.join("with").join(FOLDER)).unwrap();
        std::fs::create_dir_all(at.join("without")).unwrap();
        std::fs::write(at.join("without").join(FOLDER), "x").unwrap();
        assert_eq!(within(&at.join("with")), Some(at.join("with").join(FOLDER)));
        assert_eq!(within(&at.join("without")), None);
        assert_eq!(within(&at.join("nowhere")), None);
        std::fs::remove_dir_all(at).unwrap();
    }
}
