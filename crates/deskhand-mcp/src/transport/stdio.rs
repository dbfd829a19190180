//! Stdio: one client. The server ends with its input.

use std::{sync::Arc, time::Duration};

use rmcp::service::serve_server_with_ct;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    signal::unix::{SignalKind, signal},
};
use tokio_util::sync::CancellationToken;

use super::streams;
use crate::{
    Error,
    server::{
        Handler,
        state::{Connection, State},
    },
    wire::{ledger::Ledger, line::Lines, steadfast::Steadfast},
};

/// Serves standard input and output.
pub(crate) fn serve(state: &Arc<State>) -> Result<(), Error> {
    // Calls run on blocking threads. For the messages of one client a second thread only costs switches.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::Start { why: error.to_string() })?;
    let served = runtime.block_on(async {
        let ended = ended().map_err(|error| Error::Start { why: error.to_string() })?;
        client(state, streams::input(), streams::output(), ended).await;
        Ok(())
    });
    // A thread may still wait for input.
    runtime.shutdown_background();
    served
}

/// Returns a token that is cancelled by a termination signal.
pub(super) fn ended() -> std::io::Result<CancellationToken> {
    let ended = CancellationToken::new();
    for kind in [SignalKind::terminate(), SignalKind::interrupt(), SignalKind::hangup()] {
        let (mut signal, ended) = (signal(kind)?, ended.clone());
        tokio::spawn(async move {
            signal.recv().await;
            ended.cancel();
        });
    }
    Ok(ended)
}

/// Serves one client over two byte streams, until it closes its end or `ended` is cancelled. Pending
/// requests then have a grace period, after which they are answered with an error.
pub(crate) async fn client<R, W>(state: &Arc<State>, from: R, to: W, ended: CancellationToken)
where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let closed = CancellationToken::new();
    let ledger = Ledger::with(Steadfast::of(&state.tools));
    let lines = Lines::new(from, to, closed.clone(), ledger);
    let exit = lines.exit();
    let running = CancellationToken::new();
    let serving = async {
        let handler = Handler::new(Connection::own(state, closed.clone()));
        let service = serve_server_with_ct(handler, lines, running.clone()).await;
        if let Ok(service) = service {
            // The result does not matter: the client is gone.
            let _ = service.waiting().await;
        }
    };
    tokio::pin!(serving);
    let patience = tokio::select! {
        () = &mut serving => return,
        () = ended.cancelled() => ASKED_TO_END,
        () = closed.cancelled() => GONE,
    };
    let quiet = async {
        tokio::select! {
            () = exit.finish() => {}
            () = async { closed.cancelled().await; ended.cancelled().await } => {}
        }
    };
    let still_serving = tokio::select! {
        () = &mut serving => false,
        // Requests that take longer are answered with an error.
        _ = tokio::time::timeout(patience, quiet) => true,
    };
    if still_serving {
        exit.cut();
        running.cancel();
        // A client that does not read is disconnected.
        let _ = tokio::time::timeout(TO_READ, &mut serving).await;
    }
}
