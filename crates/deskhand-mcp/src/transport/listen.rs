//! Accepting HTTP connections at a TCP port or a Unix socket, with limits on number and time.

use std::{net::SocketAddr, path::Path, sync::Arc};

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
    auth::ClientIp,
    connection_slots::{ConnectionSlot, ConnectionSlots},
    tls::Certificates,
    unix::{self, SocketFile},
    write_timeout::WriteTimeoutStream,
};
use crate::{http_options::HttpLimits, timing};

/// Maximum size of a request head in bytes.
const MAX_HEAD: usize = 64 * 1024;

/// Listen backlog. When it is full, the kernel delays further connections by a second.
const BACKLOG: u32 = 4096;

/// A listening socket.
pub(super) enum HttpListener {
    /// A TCP port, with optional TLS.
    Tcp(TcpListener, Option<Certificates>),
    /// A Unix socket. Its file is removed on drop.
    Unix(UnixListener, SocketFile),
}

/// An accepted connection.
enum AcceptedStream {
    Tcp(TcpStream, SocketAddr, Option<TlsAcceptor>),
    Unix(UnixStream),
}

impl HttpListener {
    /// Listens at a TCP address.
    pub(super) fn tcp(at: SocketAddr, tls: Option<Certificates>) -> std::io::Result<Self> {
        let socket = if at.is_ipv4() { TcpSocket::new_v4() } else { TcpSocket::new_v6() }?;
        socket.set_reuseaddr(true)?;
        socket.bind(at)?;
        Ok(Self::Tcp(socket.listen(BACKLOG)?, tls))
    }

    /// Listens at a Unix socket path.
    pub(super) async fn unix(at: &Path) -> std::io::Result<Self> {
        let (listener, socket) = unix::listen(at).await?;
        Ok(Self::Unix(listener, socket))
    }

    /// Returns the URL or path to show to the user.
    pub(super) fn url(&self) -> String {
        match self {
            Self::Tcp(listener, tls) => {
                let scheme = if tls.is_some() { "https" } else { "http" };
                let at = listener.local_addr();
                at.map_or_else(|_| String::new(), |at| format!("{scheme}://{at}"))
            }
            Self::Unix(_, socket) => socket.display_path(),
        }
    }

    async fn accept(&self) -> std::io::Result<AcceptedStream> {
        match self {
            Self::Tcp(listener, tls) => {
                let (stream, from) = listener.accept().await?;
                // Do not delay small messages. Failure only costs speed.
                let _ = stream.set_nodelay(true);
                Ok(AcceptedStream::Tcp(stream, from, tls.as_ref().map(Certificates::acceptor)))
            }
            Self::Unix(listener, socket) => loop {
                let (stream, _) = listener.accept().await?;
                if socket.admits(&stream) {
                    return Ok(AcceptedStream::Unix(stream));
                }
            },
        }
    }
}

/// All HTTP connections.
pub(super) struct HttpConnections {
    all: JoinSet<()>,
    ended: CancellationToken,
    slots: Arc<ConnectionSlots>,
    limits: HttpLimits,
}

impl HttpConnections {
    /// Creates an empty set.
    pub(super) fn new(limits: &HttpLimits) -> Self {
        let slots = ConnectionSlots::new(limits.max_connections);
        let (all, ended) = (JoinSet::new(), CancellationToken::new());
        Self { all, ended, slots, limits: limits.clone() }
    }

    /// Accepts connections forever.
    pub(super) async fn accept(&mut self, listener: &HttpListener, router: &Router) {
        loop {
            match listener.accept().await {
                Ok(stream) => {
                    // If no slot becomes free in time, the connection is dropped.
                    if let Ok(slot) = timeout(self.limits.read_timeout, self.slots.acquire()).await
                    {
                        let connection = ClientConnection {
                            router: router.clone(),
                            slot,
                            limits: self.limits.clone(),
                        };
                        self.all.spawn(connection.serve(stream, self.ended.clone()));
                    }
                }
                Err(_) => tokio::time::sleep(timing::ACCEPT_RETRY_DELAY).await,
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
struct ClientConnection {
    router: Router,
    slot: ConnectionSlot,
    limits: HttpLimits,
}

impl ClientConnection {
    /// Serves the connection until the client closes it, the slot is revoked, or the server ends.
    async fn serve(self, stream: AcceptedStream, ended: CancellationToken) {
        let serving = async {
            match stream {
                AcceptedStream::Unix(stream) => self.serve_http(stream, None, &ended).await,
                AcceptedStream::Tcp(stream, from, None) => {
                    self.serve_http(stream, Some(from), &ended).await
                }
                AcceptedStream::Tcp(stream, from, Some(tls)) => {
                    // A client that does not finish the TLS handshake in time is dropped.
                    let handshake = timeout(self.limits.read_timeout, tls.accept(stream)).await;
                    if let Ok(Ok(stream)) = handshake {
                        self.serve_http(stream, Some(from), &ended).await;
                    }
                }
            }
        };
        tokio::select! {
            () = serving => {}
            () = self.slot.revoked() => {}
        }
    }

    async fn serve_http<S>(&self, stream: S, from: Option<SocketAddr>, ended: &CancellationToken)
    where
        S: AsyncRead + AsyncWrite + Unpin + Send,
    {
        let inner = TowerToHyperService::new(self.router.clone());
        let tracker = self.slot.tracker();
        let service = service_fn(move |mut request: Request<Incoming>| {
            if let Some(from) = from {
                request.extensions_mut().insert(ClientIp(from.ip().to_canonical()));
            }
            let tracker = tracker.clone();
            request.extensions_mut().insert(tracker.clone());
            let answering = inner.call(request.map(|body| tracker.request_body(body)));
            async move {
                Ok::<_, hyper::Error>(answering.await.map_or_else(
                    |never| match never {},
                    |response| response.map(|body| tracker.response_body(body)),
                ))
            }
        });
        let stream = WriteTimeoutStream::new(stream, self.limits.write_timeout);
        let connection = http1::Builder::new()
            .timer(TokioTimer::new())
            .header_read_timeout(self.limits.read_timeout)
            .max_buf_size(MAX_HEAD)
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
