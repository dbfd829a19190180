//! The roots of a client: the first one can confine the commands of its session, and `.deskhand`
//! folders in them are reported. Roots are only read.
#![expect(deprecated, reason = "roots belong to 2025-11-25 and older, which are served too")]

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc,
        atomic::{AtomicU64, Ordering},
    },
};

use deskhand_engine::SessionKey;
use parking_lot::Mutex;
use rmcp::{
    Peer, RoleServer,
    model::{ClientResult, ListRootsRequest, ServerRequest},
    service::PeerRequestOptions,
};
use serde_json::json;
use tokio::sync::watch;
use url::Url;

use crate::{
    server::{
        client::{self, Client, SERVER_LOGGER},
        log::LogLevel,
        scope,
        state::Connection,
    },
    timing,
};

/// The name of Deskhand's folder in a root.
const DESKHAND_FOLDER: &str = ".deskhand";

/// Maximum number of roots that are inspected.
const MAX_ROOTS: usize = 100;

/// The roots of one client.
#[derive(Debug, Default)]
pub(crate) struct Roots {
    requests: AtomicU64,
    deskhand_folders: Mutex<Vec<PathBuf>>,
    status: watch::Sender<RootsStatus>,
}

/// The state of the roots request.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum RootsStatus {
    #[default]
    Pending,
    /// The client has answered, possibly with an empty list.
    Known,
}

impl Roots {
    /// Waits until the client has answered.
    pub(crate) async fn wait_known(&self) {
        // The sender cannot be dropped: `self` owns it.
        let _ = self.status.subscribe().wait_for(|status| *status == RootsStatus::Known).await;
    }
}

/// Returns the `.deskhand` folders in the roots of a connection's client.
pub(crate) fn deskhand_folders(connection: &Connection) -> Vec<PathBuf> {
    connection.roots.deskhand_folders.lock().clone()
}

/// Requests the roots of a client that declares them, and inspects them.
pub(crate) async fn request_roots(
    connection: &Arc<Connection>,
    peer: &Peer<RoleServer>,
    key: &SessionKey,
) {
    if peer.peer_info().is_none_or(|client| client.capabilities.roots.is_none()) {
        return;
    }
    let request_number = connection.roots.requests.fetch_add(1, Ordering::Relaxed) + 1;
    connection.roots.status.send_replace(RootsStatus::Pending);
    request_and_inspect(connection, peer, key, request_number).await;
}

/// Sends the roots request again, as a part of one of the client's requests.
pub(crate) async fn request_roots_again(connection: &Arc<Connection>, client: &Client) {
    let request_number = connection.roots.requests.load(Ordering::Relaxed);
    request_and_inspect(connection, &client.peer, &connection.session(client), request_number)
        .await;
}

async fn request_and_inspect(
    connection: &Arc<Connection>,
    peer: &Peer<RoleServer>,
    key: &SessionKey,
    request_number: u64,
) {
    let uris = list_roots(connection, peer).await;
    let Some(uris) = uris else {
        connection.roots.status.send_replace(RootsStatus::Known);
        return;
    };
    let folders: Vec<PathBuf> =
        uris.iter().filter_map(|uri| local_path(uri)).take(MAX_ROOTS).collect();
    let inspect = || {
        let first = folders.iter().find(|root| root.is_dir()).cloned();
        (
            first,
            folders.into_iter().filter_map(|root| deskhand_folder_in(&root)).collect::<Vec<_>>(),
        )
    };
    let Ok((first, found)) = tokio::task::spawn_blocking(inspect).await else { return };
    // Only the response to the latest request counts.
    if connection.roots.requests.load(Ordering::Relaxed) != request_number {
        return;
    }
    if let Some(Err(refused)) = first.map(|first| scope::confine(connection, key, &first)) {
        let data = json!({ "message": refused.message, "hint": refused.hint });
        client::send_log(connection, peer, LogLevel::Warning, SERVER_LOGGER, data).await;
    }
    connection.roots.status.send_replace(RootsStatus::Known);
    *connection.roots.deskhand_folders.lock() = found;
    let data = json!({ "folders": uris.len(), "deskhand": self::deskhand_folders(connection) });
    client::send_log(connection, peer, LogLevel::Info, SERVER_LOGGER, data).await;
}

async fn list_roots(connection: &Connection, peer: &Peer<RoleServer>) -> Option<Vec<String>> {
    let request = ServerRequest::ListRootsRequest(ListRootsRequest::default());
    let response = async {
        let options = PeerRequestOptions::with_timeout(timing::LIST_ROOTS_TIMEOUT);
        peer.send_request_with_option(request, options).await?.await_response().await
    };
    let result = tokio::select! {
        biased;
        () = connection.closed.cancelled() => return None,
        // A client that does not answer has no roots.
        response = response => response.ok()?,
    };
    let ClientResult::ListRootsResult(result) = result else { return None };
    Some(result.roots.into_iter().map(|root| root.uri).collect())
}

/// Returns the path of a `file` URI on this machine.
fn local_path(uri: &str) -> Option<PathBuf> {
    let url = Url::parse(uri).ok().filter(|url| url.scheme() == "file")?;
    url.to_file_path().ok()
}

/// Returns the `.deskhand` folder in a root, if there is one.
fn deskhand_folder_in(root: &Path) -> Option<PathBuf> {
    let folder = root.join(DESKHAND_FOLDER);
    folder.is_dir().then_some(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_local_file_uris_are_folders() {
        assert_eq!(local_path("file:///home/ann/a%20b"), Some(PathBuf::from("/home/ann/a b")));
        for other in ["https://example.org/x", "file://elsewhere/x", "deskhand://apps", "/x", ""] {
            assert_eq!(local_path(other), None, "{other}");
        }
    }

    #[test]
    fn a_deskhand_folder_is_found_and_a_file_is_not() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path();
        std::fs::create_dir_all(at.join("with").join(DESKHAND_FOLDER)).unwrap();
        std::fs::create_dir_all(at.join("without")).unwrap();
        std::fs::write(at.join("without").join(DESKHAND_FOLDER), "x").unwrap();
        assert_eq!(
            deskhand_folder_in(&at.join("with")),
            Some(at.join("with").join(DESKHAND_FOLDER))
        );
        assert_eq!(deskhand_folder_in(&at.join("without")), None);
        assert_eq!(deskhand_folder_in(&at.join("nowhere")), None);
    }
}
