//! Accepting HTTP connections at a TCP port or a Unix socket, with limits on number and time.

use std::{net::SocketAddr, path::Path, sync::Arc, time::Duration};

use axum::{Router, http::Request};
use hyper::{
    body::Incoming,
    server::conn::http1,
    service::{Service, service_fn},
};
use hyper_util::{
    rt::{TokioIo, TokioTimer},
    service::TowerToHyperService,
};
use tokio::{
    io::{AsyncRead, AsyncWrite},
    net::{TcpListener, TcpSocket, TcpStream, UnixListener, UnixStream},
    task::JoinSet,
    time::timeout,
};
use tokio_rustls::TlsAcceptor;
use tokio_util::sync::CancellationToken;

use super::{
    auth::Peer,
    patience::Patient,
    places::{Places, Taken},
    unix::{self, Socket},
};
use crate::web::Bounds;

/// Maximum size of a request head in bytes.
const HEAD: usize = 64 * 1024;

/// Listen backlog. When it is full, the kernel delays further connections by a second.
const WAITING: u32 = 4096;

/// A listening socket.
pub(super) enum Entrance {
    /// A TCP port, with optional TLS.
    Port(TcpListener, Option<TlsAcceptor>),
    /// A Unix socket. Its file is removed on drop.
    Path(UnixListener, Socket),
}

/// An accepted connection.
enum Arrival {
    Port(TcpStream, SocketAddr, Option<TlsAcceptor>),
    Path(UnixStream),
}

impl Entrance {
    /// Listens at a TCP address.
    pub(super) fn port(at: SocketAddr, tls: Option<TlsAcceptor>) -> std::io::Result<Self> {
        let socket = if at.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        socket.set_reuseaddr(true)?;
        socket.bind(at)?;
        Ok(Self::Port(socket.listen(WAITING)?, tls))
    }

    /// Listens at a Unix socket path.
    pub(super) async fn path(at: &Path) -> std::io::Result<Self> {
        let (listener, socket) = unix::listen(at).await?;
        Ok(Self::Path(listener, socket))
    }

    /// Returns the URL or path to show to the user.
    pub(super) fn name(&self) -> String {
        match self {
            Self::Port(listener, tls) => {
                let scheme = if tls.is_some() { "https" } else { "http" };
                let at = listener.local_addr();
                at.map_or_else(|_| String::new(), |at| format!("{scheme}://{at}"))
            }
            Self::Path(_, socket) => socket.name(),
        }
    }

    async fn accept(&self) -> std::io::Result<Arrival> {
        match self {
            Self::Port(listener, tls) => {
                let (stream, from) = listener.accept().await?;
                // Do not delay small messages. Failure only costs speed.
                let _ = stream.set_nodelay(true);
                Ok(Arrival::Port(stream, from, tls.clone()))
            }
            Self::Path(listener, socket) => loop {
                let (stream, _) = listener.accept().await?;
                if socket.admits(&stream) {
                    return Ok(Arrival::Path(stream));
                }
            },
        }
    }
}

/// All HTTP connections.
pub(super) struct Connections {
    all: JoinSet<()>,
    ended: CancellationToken,
    places: Arc<Places>,
    bounds: Bounds,
}

impl Connections {
    /// Creates an empty set.
    pub(super) fn new(bounds: &Bounds) -> Self {
        let places = Places::new(bounds.connections);
        let (all, ended) = (JoinSet::new(), CancellationToken::new());
        Self { all, ended, places, bounds: bounds.clone() }
    }

    /// Accepts connections forever.
    pub(super) async fn accept(&mut self, entrance: &Entrance, router: &Router) {
        loop {
            match entrance.accept().await {
                Ok(arrival) => {
                    // If no slot becomes free in time, the connection is dropped.
                    if let Ok(place) = timeout(self.bounds.read, self.places.take()).await {
                        let line =
                            Line { router: router.clone(), place, bounds: self.bounds.clone() };
                        self.all.spawn(line.serve(arrival, self.ended.clone()));
                    }
                }
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
            while self.all.try_join_next().is_some() {}
        }
    }

    /// Ends each connection after its current response.
    pub(super) async fn end(&mut self) {
        self.ended.cancel();
        while self.all.join_next().await.is_some() {}
    }
}

/// One HTTP connection.
struct Line {
    router: Router,
    place: Taken,
    bounds: Bounds,
}

impl Line {
    /// Serves the connection until the client closes it, the slot is revoked, or the server ends.
    async fn serve(self, arrival: Arrival, ended: CancellationToken) {
        let serving = async {
            match arrival {
                Arrival::Path(stream) => self.speak(stream, None, &ended).await,
                Arrival::Port(stream, from, None) => self.speak(stream, Some(from), &ended).await,
                Arrival::Port(stream, from, Some(tls)) => {
                    // A client that does not finish the TLS handshake in time is dropped.
                    let shaken = timeout(self.bounds.read, tls.accept(stream)).await;
                    if let Ok(Ok(stream)) = shaken {
                        self.speak(stream, Some(from), &ended).await;
                    }
                }
            }
        };
        tokio::select! {
            () = serving => {}
            () = self.place.given_up() => {}
        }
    }

    async fn speak<S>(&self, stream: S, from: Option<SocketAddr>, ended: &CancellationToken)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send,
    {
        let inner = TowerToHyperService::new(self.router.clone());
        let watch = self.place.watch();
        let service = service_fn(move |mut request: Request<Incoming>| {
            if let Some(from) = from {
                request.extensions_mut().insert(Peer(from.ip().to_canonical()));
            }
            let watch = watch.clone();
            let answering = inner.call(request.map(|body| watch.asking(body)));
            async move {
                Ok::<_, hyper::Error>(answering.await.map_or_else(
                    |never| match never {},
                    |response| response.map(|body| watch.answering(body)),
                ))
            }
        });
        let stream = Patient::new(stream, self.bounds.write);
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.bounds.read)
            .max_buf_size(HEAD)
            .serve_connection(TokioIo::new(stream), service);
        tokio::pin!(connection);
        // Connection errors mean that the client is gone.
        tokio::select! {
            _ = connection.as_mut() => return,
            () = ended.cancelled() => connection.as_mut().graceful_shutdown(),
        }
        let _ = connection.await;
    }
}
