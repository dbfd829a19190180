//! Where clients of HTTP come in: a TCP port of this machine or a unix socket, how many at once, how
//! long they may take, and how their connections end.

use std::{net::SocketAddr, path::Path, sync::Arc, time::Duration};

use axum::Router;
use hyper::server::conn::http1;
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, UnixListener},
    sync::Semaphore,
    task::JoinSet,
};
use tokio_util::{either::Either, sync::CancellationToken};

use super::unix::{self, Socket};

/// How many connections there may be; others wait until one ends.
const MOST: usize = 512;

/// How long a client may take to send the head of a request, or to begin the next one.
const HEAD: Duration = Duration::from_secs(30);

/// How long nothing is accepted after that went wrong: the process may be out of descriptors.
const PAUSE: Duration = Duration::from_millis(50);

/// Where clients come in.
pub(super) enum Entrance {
    /// A port.
    Port(TcpListener),
    /// A unix socket, removed with this.
    Path(UnixListener, Socket),
}

impl Entrance {
    /// Listens at an address.
    pub(super) async fn port(at: SocketAddr) -> std::io::Result<Self> {
        Ok(Self::Port(TcpListener::bind(at).await?))
    }

    /// Listens at a path.
    pub(super) fn path(at: &Path) -> std::io::Result<Self> {
        let (listener, socket) = unix::listen(at)?;
        Ok(Self::Path(listener, socket))
    }

    /// Where it listens, for people.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Port(listener) => {
                listener.local_addr().map_or_else(|_| String::new(), |at| format!("http://{at}"))
            }
            Self::Path(_, socket) => socket.name(),
        }
    }

    async fn accept(&self) -> std::io::Result<impl AsyncRead + AsyncWrite + Unpin + Send + use<>> {
        match self {
            Self::Port(listener) => {
                let (stream, _) = listener.accept().await?;
                // Small messages must not wait for each other; a socket that refuses is slower, no
                // more.
                let _ = stream.set_nodelay(true);
                Ok(Either::Left(stream))
            }
            Self::Path(listener, _) => Ok(Either::Right(listener.accept().await?.0)),
        }
    }
}

/// The connections there are.
pub(super) struct Connections {
    all: JoinSet<()>,
    ended: CancellationToken,
    places: Arc<Semaphore>,
}

impl Connections {
    /// None yet.
    pub(super) fn new() -> Self {
        let places = Arc::new(Semaphore::new(MOST));
        Self { all: JoinSet::new(), ended: CancellationToken::new(), places }
    }

    /// Lets clients in, without end.
    pub(super) async fn accept(&mut self, entrance: &Entrance, router: &Router) {
        loop {
            // The semaphore is never closed.
            let Ok(place) = Arc::clone(&self.places).acquire_owned().await else { return };
            match entrance.accept().await {
                Ok(stream) => {
                    let serving = serve(stream, router.clone(), self.ended.clone());
                    self.all.spawn(async move {
                        serving.await;
                        drop(place);
                    });
                }
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
            while self.all.try_join_next().is_some() {}
        }
    }

    /// Ends each connection after the answer it is at.
    pub(super) async fn end(&mut self) {
        self.ended.cancel();
        while self.all.join_next().await.is_some() {}
    }
}

async fn serve<S>(stream: S, router: Router, ended: CancellationToken)
where
    S: AsyncRead + AsyncWrite + Unpin + Send,
{
    let service = TowerToHyperService::new(router);
    let connection = http1::Builder::new()
        .timer(TokioTimer::new())
        .header_read_timeout(HEAD)
        .serve_connection(TokioIo::new(stream), service);
    tokio::pin!(connection);
    // How a connection breaks makes no difference: the client is gone.
    tokio::select! {
        _ = connection.as_mut() => return,
        () = ended.cancelled() => connection.as_mut().graceful_shutdown(),
    }
    let _ = connection.await;
}
