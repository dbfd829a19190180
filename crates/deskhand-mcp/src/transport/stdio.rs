//! Stdio: one client. The server ends with its input.

use std::{sync::Arc, time::Duration};

use rmcp::service::serve_server_with_ct;
use tokio::{
    io::{AsyncRead, AsyncWrite},
    signal::unix::{SignalKind, signal},
};
use tokio_util::sync::CancellationToken;

use super::stdio_streams;
use crate::{
    Error,
    server::{
        Handler,
        state::{Connection, ServerState},
    },
    timing,
    wire::{
        connection_state::ConnectionState, json_lines::JsonLinesTransport,
        uncancellable::Uncancellable,
    },
};

/// Serves standard input and output.
pub(crate) fn serve(state: &Arc<ServerState>) -> Result<(), Error> {
    // Calls run on blocking threads. For the messages of one client a second thread only costs
    // switches.
    let runtime = tokio::runtime::Builder::new_current_thread()
        .enable_all()
        .build()
        .map_err(|error| Error::Startup { reason: error.to_string() })?;
    let served = runtime.block_on(async {
        let ended =
            termination_token().map_err(|error| Error::Startup { reason: error.to_string() })?;
        let (input, output) = (stdio_streams::input(), stdio_streams::output());
        serve_client(state, input, output, stdio_streams::output_closed(), ended).await;
        Ok(())
    });
    // A thread may still wait for input.
    runtime.shutdown_background();
    served
}

/// Returns a token that is cancelled by a termination signal.
pub(super) fn termination_token() -> std::io::Result<CancellationToken> {
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

/// Serves one client over two byte streams, until it closes its end or `ended` is cancelled.
/// Pending requests then have a grace period, after which they are answered with an error. There is
/// none if the client cannot read a response any more, because `reader_gone` is ready or a write
/// has failed.
pub(crate) async fn serve_client<R, W>(
    state: &Arc<ServerState>,
    from: R,
    to: W,
    reader_gone: impl Future<Output = ()>,
    ended: CancellationToken,
) where
    R: AsyncRead + Send + Unpin + 'static,
    W: AsyncWrite + Send + Unpin + 'static,
{
    let closed = CancellationToken::new();
    let connection = ConnectionState::with_uncancellable(Uncancellable::new(&state.tools));
    let lines = JsonLinesTransport::new(from, to, closed.clone(), connection);
    let (handle, unreadable) = (lines.shutdown_handle(), lines.unreadable_token());
    let reader_gone = async {
        tokio::select! {
            () = unreadable.cancelled() => {}
            () = reader_gone => {}
        }
    };
    let running = CancellationToken::new();
    let serving = async {
        let handler = Handler::new(Connection::with_own_session(state, closed.clone()));
        let service = serve_server_with_ct(handler, lines, running.clone()).await;
        if let Ok(service) = service {
            // The result does not matter: the client is gone.
            let _ = service.waiting().await;
        }
    };
    tokio::pin!(serving, reader_gone);
    let grace_period = tokio::select! {
        () = &mut serving => return,
        () = &mut reader_gone => Duration::ZERO,
        () = ended.cancelled() => timing::SHUTDOWN_TIMEOUT,
        () = closed.cancelled() => timing::STDIN_CLOSED_TIMEOUT,
    };
    let still_serving = if grace_period.is_zero() {
        true
    } else {
        let drained = async {
            tokio::select! {
                () = handle.drain() => {}
                () = &mut reader_gone => {}
                () = async { closed.cancelled().await; ended.cancelled().await } => {}
            }
        };
        tokio::select! {
            () = &mut serving => false,
            // Requests that take longer are answered with an error.
            _ = tokio::time::timeout(grace_period, drained) => true,
        }
    };
    if still_serving {
        handle.fail_pending();
        running.cancel();
        let flush_timeout = if grace_period.is_zero() {
            timing::READER_GONE_TIMEOUT
        } else {
            timing::STDIO_FLUSH_TIMEOUT
        };
        // A client that does not read is disconnected.
        let _ = tokio::time::timeout(flush_timeout, &mut serving).await;
    }
}
