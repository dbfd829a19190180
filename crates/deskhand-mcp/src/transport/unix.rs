//! A Unix socket: JSON lines as on stdio, for any number of clients of one user.

use std::{
    fs, io,
    os::unix::fs::{DirBuilderExt, FileTypeExt, MetadataExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::Arc,
};

use tokio::{
    net::{UnixListener, UnixStream},
    task::JoinSet,
};

use super::stdio;
use crate::{Error, server::state::ServerState, timing};

/// The uid of root.
const ROOT_UID: u32 = 0;

/// The name of a socket before it is moved to its path. Short, because a socket path has at most
/// 107 bytes.
const TEMPORARY_NAME: &str = "s";

/// A socket file that is removed on drop.
#[derive(Debug)]
pub(super) struct SocketFile {
    at: PathBuf,
    metadata: fs::Metadata,
}

impl SocketFile {
    /// Returns the path to show to the user.
    pub(super) fn display_path(&self) -> String {
        self.at.display().to_string()
    }

    /// Returns `true` if the client runs as the server's user or root, whatever the file's
    /// permissions are.
    pub(super) fn admits(&self, client: &UnixStream) -> bool {
        client.peer_cred().is_ok_and(|peer| is_owner(peer.uid(), self.metadata.uid()))
    }
}

impl Drop for SocketFile {
    fn drop(&mut self) {
        let there = fs::symlink_metadata(&self.at);
        let is_ours =
            |it: fs::Metadata| (it.dev(), it.ino()) == (self.metadata.dev(), self.metadata.ino());
        if there.is_ok_and(is_ours) {
            // The file may be gone already.
            let _ = fs::remove_file(&self.at);
        }
    }
}

fn is_owner(client: u32, server: u32) -> bool {
    client == server || client == ROOT_UID
}

/// Serves at a path until the process receives a termination signal. `ready` is called once it
/// listens.
pub(crate) fn serve(
    state: &Arc<ServerState>,
    at: &Path,
    ready: impl FnOnce(),
) -> Result<(), Error> {
    let start = |error: io::Error| Error::Startup { reason: format!("{}: {error}", at.display()) };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(start)?;
    let served = runtime.block_on(async {
        let terminated = stdio::termination_token().map_err(start)?;
        let (listener, socket) = listen(at).await.map_err(start)?;
        ready();
        let mut clients = JoinSet::new();
        loop {
            tokio::select! {
                () = terminated.cancelled() => break,
                Some(_) = clients.join_next() => {}
                accepted = listener.accept() => {
                    // The client has already closed the connection.
                    let Ok((stream, _)) = accepted else { continue };
                    if !socket.admits(&stream) {
                        continue;
                    }
                    let (from, to) = stream.into_split();
                    let (state, terminated) = (Arc::clone(state), terminated.clone());
                    clients.spawn(async move {
                        // A client that is gone ends its input.
                        let reader_gone = std::future::pending();
                        stdio::serve_client(&state, from, to, reader_gone, terminated).await;
                    });
                }
            }
        }
        let all_gone = async { while clients.join_next().await.is_some() {} };
        // Clients that take longer are disconnected.
        let _ = tokio::time::timeout(timing::UNIX_SHUTDOWN_TIMEOUT, all_gone).await;
        Ok(())
    });
    runtime.shutdown_background();
    served
}

/// Listens at a path that only its owner can reach. Removes a socket left by a killed server.
pub(super) async fn listen(at: &Path) -> io::Result<(UnixListener, SocketFile)> {
    let folder = match at.parent() {
        Some(folder) if !folder.as_os_str().is_empty() => folder,
        Some(_) | None => Path::new("."),
    };
    fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    // In this private folder no other user can reach the socket before its permissions are set.
    let inside = tempfile::Builder::new().prefix(".").rand_bytes(4).tempdir_in(folder)?;
    let temporary = inside.path().join(TEMPORARY_NAME);
    let listener = UnixListener::bind(&temporary)?;
    fs::set_permissions(&temporary, fs::Permissions::from_mode(0o600))?;
    let metadata = fs::symlink_metadata(&temporary)?;
    if let Some(dead) = dead_socket(at, metadata.uid()).await? {
        fs::remove_file(dead)?;
    }
    // Unlike a rename, this fails if another file has appeared at the path.
    fs::hard_link(&temporary, at)?;
    Ok((listener, SocketFile { at: at.to_owned(), metadata }))
}

/// Returns the path if it is a socket of this user on which no server listens.
async fn dead_socket(at: &Path, own: u32) -> io::Result<Option<&Path>> {
    let there = match fs::symlink_metadata(at) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
        other => other?,
    };
    let refused = |why: &str| Err(io::Error::new(io::ErrorKind::AlreadyExists, why));
    if !there.file_type().is_socket() {
        return refused("the path exists and is not a socket; remove it, or use another path");
    }
    if there.uid() != own {
        return refused("the path is a socket of another user; use another path");
    }
    match UnixStream::connect(at).await {
        Err(error) if error.kind() == io::ErrorKind::ConnectionRefused => Ok(Some(at)),
        // Other errors mean that a server is listening but busy.
        Err(_) | Ok(_) => {
            refused("another server listens at this path; stop it, or use another path")
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn only_a_dead_socket_is_replaced() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        fs::write(at("file"), "precious").unwrap();
        fs::create_dir(at("folder")).unwrap();
        std::os::unix::fs::symlink(at("file"), at("link")).unwrap();
        std::os::unix::fs::symlink(at("nothing"), at("dangling")).unwrap();
        for taken in ["file", "folder", "link", "dangling"] {
            let error = listen(&at(taken)).await.unwrap_err();
            assert!(error.to_string().contains("not a socket"), "{taken}: {error}");
        }
        assert_eq!(fs::read_to_string(at("file")).unwrap(), "precious");
        drop(UnixListener::bind(at("dead")).unwrap());
        let (_listener, _socket) = listen(&at("dead")).await.unwrap();
        let error = listen(&at("dead")).await.unwrap_err();
        assert!(error.to_string().contains("another server"), "{error}");
        assert!(UnixStream::connect(at("dead")).await.is_ok());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 5, "no other files remain");
    }

    #[tokio::test]
    async fn a_replaced_socket_file_is_not_removed() {
        let folder = tempfile::tempdir().unwrap();
        let at = folder.path().join("s");
        let (_listener, socket) = listen(&at).await.unwrap();
        fs::remove_file(&at).unwrap();
        fs::write(&at, "another's").unwrap();
        drop(socket);
        assert_eq!(fs::read_to_string(&at).unwrap(), "another's");
    }

    #[tokio::test]
    async fn only_clients_of_the_same_user_are_admitted() {
        let folder = tempfile::tempdir().unwrap();
        let (listener, socket) = listen(&folder.path().join("s")).await.unwrap();
        let _client = UnixStream::connect(folder.path().join("s")).await.unwrap();
        assert!(socket.admits(&listener.accept().await.unwrap().0));
        assert!(is_owner(1000, 1000) && is_owner(ROOT_UID, 1000));
        assert!(!is_owner(1001, 1000) && !is_owner(1000, ROOT_UID));
    }
}
