//! A unix socket: lines of JSON as on the standard streams, for any number of clients of one user.

use std::{
    fs, io,
    os::unix::fs::{DirBuilderExt, PermissionsExt},
    path::{Path, PathBuf},
    sync::Arc,
    time::Duration,
};

use tokio::{net::UnixListener, task::JoinSet};

use super::stdio;
use crate::{Error, server::state::State};

/// How long what runs may take to end when the server is asked to.
const TO_FINISH: Duration = Duration::from_secs(7);

/// Removes the socket when nobody listens at it any more.
pub(super) struct Socket(PathBuf);

impl Socket {
    /// Where it is, for people.
    pub(super) fn name(&self) -> String {
        self.0.display().to_string()
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        // Somebody may have removed it already.
        let _ = fs::remove_file(&self.0);
    }
}

/// Serves at a path until the process is asked to end; `ready` is told when.
pub(crate) fn serve(state: &Arc<State>, at: &Path, ready: impl FnOnce()) -> Result<(), Error> {
    let start = |error: io::Error| Error::Start { why: format!("{}: {error}", at.display()) };
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .worker_threads(2)
        .enable_all()
        .build()
        .map_err(start)?;
    let served = runtime.block_on(async {
        let ended = stdio::ended().map_err(start)?;
        let (listener, _socket) = listen(at).map_err(start)?;
        ready();
        let mut clients = JoinSet::new();
        loop {
            tokio::select! {
                () = ended.cancelled() => break,
                Some(_) = clients.join_next() => {}
                accepted = listener.accept() => {
                    // A client that is gone before it was met is none.
                    let Ok((stream, _)) = accepted else { continue };
                    let (from, to) = stream.into_split();
                    let (state, ended) = (Arc::clone(state), ended.clone());
                    clients.spawn(async move { stdio::client(&state, from, to, ended).await });
                }
            }
        }
        let all_gone = async { while clients.join_next().await.is_some() {} };
        // Whoever takes longer is cut off.
        let _ = tokio::time::timeout(TO_FINISH, all_gone).await;
        Ok(())
    });
    runtime.shutdown_background();
    served
}

/// Listens at a path only its owner can reach; what a killed server left there is swept away.
pub(super) fn listen(at: &Path) -> io::Result<(UnixListener, Socket)> {
    if let Some(folder) = at.parent().filter(|folder| !folder.as_os_str().is_empty()) {
        fs::DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    }
    let listener = match UnixListener::bind(at) {
        Err(error) if error.kind() == io::ErrorKind::AddrInUse => {
            if std::os::unix::net::UnixStream::connect(at).is_ok() {
                return Err(io::Error::other("another server listens there"));
            }
            fs::remove_file(at)?;
            UnixListener::bind(at)?
        }
        other => other?,
    };
    let socket = Socket(at.to_owned());
    fs::set_permissions(at, fs::Permissions::from_mode(0o600))?;
    Ok((listener, socket))
}
