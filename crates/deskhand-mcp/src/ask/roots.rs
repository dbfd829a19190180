//! The folders a client works in: which of them hold a `.deskhand` folder. It is only ever read.
#![expect(deprecated, reason = "roots are of the era of the handshake, which is served too")]

use std::{
    path::{Path, PathBuf},
    sync::{
        Arc, Mutex, MutexGuard, PoisonError,
        atomic::{AtomicU64, Ordering},
    },
    time::Duration,
};

use rmcp::{
    Peer, RoleServer,
    model::{ClientResult, ListRootsRequest, ServerRequest},
    service::PeerRequestOptions,
};
use serde_json::json;
use url::Url;

use crate::server::{
    client::{self, SERVER},
    log::Level,
    state::Connection,
};

/// What Deskhand looks for in a folder a client works in.
const FOLDER: &str = ".deskhand";

/// How long a client may take to list its folders.
const PATIENCE: Duration = Duration::from_secs(30);

/// The most folders of one client that are looked into.
const MOST: usize = 100;

/// What was found in the folders of one client.
#[derive(Debug, Default)]
pub(crate) struct Roots {
    asked: AtomicU64,
    found: Mutex<Vec<PathBuf>>,
}

impl Roots {
    fn found(&self) -> MutexGuard<'_, Vec<PathBuf>> {
        self.found.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The `.deskhand` folders in what the client of a connection works in.
pub(crate) fn found(connection: &Connection) -> Vec<PathBuf> {
    connection.roots.found().clone()
}

/// Asks a client of the handshake for its folders, where it has any, and looks into them.
pub(crate) async fn look(connection: &Arc<Connection>, peer: &Peer<RoleServer>) {
    if peer.peer_info().is_none_or(|client| client.capabilities.roots.is_none()) {
        return;
    }
    let turn = connection.roots.asked.fetch_add(1, Ordering::Relaxed) + 1;
    let Some(listed) = ask(connection, peer).await else { return };
    let folders: Vec<PathBuf> = listed.iter().filter_map(|uri| folder(uri)).take(MOST).collect();
    let here = || folders.into_iter().filter_map(|root| within(&root)).collect::<Vec<_>>();
    let Ok(found) = tokio::task::spawn_blocking(here).await else { return };
    // Only the answer to the last question counts, whichever comes first.
    if connection.roots.asked.load(Ordering::Relaxed) == turn {
        *connection.roots.found() = found;
        let data = json!({ "folders": listed.len(), "deskhand": self::found(connection) });
        client::tell(connection, peer, Level::Info, SERVER, data).await;
    }
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
        // A client that does not answer has no folders for us.
        answered = answered => answered.ok()?,
    };
    let ClientResult::ListRootsResult(result) = result else { return None };
    Some(result.roots.into_iter().map(|root| root.uri).collect())
}

/// The folder of this machine an address means, if it means one.
fn folder(uri: &str) -> Option<PathBuf> {
    let url = Url::parse(uri).ok().filter(|url| url.scheme() == "file")?;
    url.to_file_path().ok()
}

/// The folder of ours within another.
fn within(root: &Path) -> Option<PathBuf> {
    let ours = root.join(FOLDER);
    ours.is_dir().then_some(ours)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_files_of_this_machine_are_folders() {
        assert_eq!(folder("file:///home/ann/a%20b"), Some(PathBuf::from("/home/ann/a b")));
        for other in ["https://example.org/x", "file://elsewhere/x", "deskhand://apps", "/x", ""] {
            assert_eq!(folder(other), None, "{other}");
        }
    }

    #[test]
    fn a_folder_of_ours_is_found_and_a_file_of_its_name_is_not() {
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
