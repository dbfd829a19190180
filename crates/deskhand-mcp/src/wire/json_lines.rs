//! The transport for newline-delimited JSON: stdio and Unix sockets.

#[cfg(feature = "fuzzing")]
pub(crate) mod fuzzing;

use std::{io, sync::Arc};

use parking_lot::Mutex;
use rmcp::{
    RoleServer,
    model::{ClientJsonRpcMessage, ErrorData, ServerJsonRpcMessage},
    transport::Transport,
};
use serde_json::Value;
use tokio::{
    io::{AsyncBufReadExt, AsyncRead, AsyncWrite, AsyncWriteExt, BufReader, BufWriter},
    sync::{mpsc, oneshot},
};
use tokio_util::sync::CancellationToken;

use super::{
    connection_state::ConnectionState,
    frame::{self, ErrorResponse, Frame},
};
use crate::timing;

/// Maximum length of a line in bytes.
const MAX_LINE: usize = 16 * 1024 * 1024;

/// Maximum number of messages queued for the handler. Reading stops when the queue is full.
const MAX_QUEUED: usize = 64;

/// A message to write, and the channel that reports the result.
struct Outgoing {
    value: Value,
    written: Option<oneshot::Sender<io::Result<()>>>,
}

/// The transport over two byte streams.
pub(crate) struct JsonLinesTransport {
    incoming: mpsc::Receiver<ClientJsonRpcMessage>,
    outgoing: Option<mpsc::UnboundedSender<Outgoing>>,
    writing: Option<tokio::task::JoinHandle<()>>,
    unreadable: CancellationToken,
    connection: Arc<Mutex<ConnectionState>>,
}

impl JsonLinesTransport {
    /// Starts to read and write. `ended` is cancelled when the client closes its end.
    pub(crate) fn new<R, W>(
        from: R,
        to: W,
        ended: CancellationToken,
        connection: ConnectionState,
    ) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        Self::with_max_line(from, to, ended, connection, MAX_LINE)
    }

    /// Like [`JsonLinesTransport::new`], with a maximum line length.
    fn with_max_line<R, W>(
        from: R,
        to: W,
        ended: CancellationToken,
        connection: ConnectionState,
        max_line: usize,
    ) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (forward, incoming) = mpsc::channel(MAX_QUEUED);
        let (outgoing, to_write) = mpsc::unbounded_channel();
        let connection = Arc::new(Mutex::new(connection));
        let unreadable = CancellationToken::new();
        let failed = unreadable.clone();
        let writing = tokio::spawn(async move {
            if write(to, to_write).await.is_err() {
                failed.cancel();
            }
        });
        let (replies, state) = (outgoing.downgrade(), Arc::clone(&connection));
        let reader = LineReader { forward, replies, connection: state, max_line };
        tokio::spawn(async move {
            reader.run(BufReader::with_capacity(64 * 1024, from)).await;
            ended.cancel();
        });
        Self { incoming, outgoing: Some(outgoing), writing: Some(writing), unreadable, connection }
    }

    /// Returns a token that is cancelled when a message cannot be written: the client is gone.
    pub(crate) fn unreadable_token(&self) -> CancellationToken {
        self.unreadable.clone()
    }

    /// Returns a handle that shuts the connection down.
    pub(crate) fn shutdown_handle(&self) -> ShutdownHandle {
        let replies = self.outgoing.as_ref().map(mpsc::UnboundedSender::downgrade);
        ShutdownHandle { connection: Arc::clone(&self.connection), replies }
    }
}

/// Shuts a connection down in good order.
pub(crate) struct ShutdownHandle {
    connection: Arc<Mutex<ConnectionState>>,
    replies: Option<mpsc::WeakUnboundedSender<Outgoing>>,
}

impl ShutdownHandle {
    /// Stops accepting requests, and waits until all are answered.
    pub(crate) async fn drain(&self) {
        self.connection.lock().close();
        while !self.connection.lock().is_idle() {
            tokio::time::sleep(timing::LINES_DRAIN_INTERVAL).await;
        }
    }

    /// Answers all pending requests with an error.
    pub(crate) fn fail_pending(&self) {
        let Some(replies) = self.replies.as_ref().and_then(mpsc::WeakUnboundedSender::upgrade)
        else {
            return;
        };
        for value in self.connection.lock().fail_pending() {
            // Sending fails only if the writer has stopped.
            let _ = replies.send(Outgoing { value, written: None });
        }
    }
}

impl Transport<RoleServer> for JsonLinesTransport {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        // Queue here, not in the future: messages are written in the order of these calls.
        let value = self.connection.lock().outgoing(message);
        let pending = value.map(|value| {
            let (written, done) = oneshot::channel();
            let item = Outgoing { value, written: Some(written) };
            let queued = self.outgoing.as_ref().is_some_and(|out| out.send(item).is_ok());
            (queued, done)
        });
        async move {
            match pending {
                None => Ok(()),
                Some((true, done)) => done.await.unwrap_or_else(|_| Err(closed())),
                Some((false, _)) => Err(closed()),
            }
        }
    }

    async fn receive(&mut self) -> Option<ClientJsonRpcMessage> {
        self.incoming.recv().await
    }

    async fn close(&mut self) -> io::Result<()> {
        self.outgoing = None;
        match self.writing.take() {
            Some(writing) => writing.await.map_err(io::Error::other),
            None => Ok(()),
        }
    }
}

struct LineReader {
    forward: mpsc::Sender<ClientJsonRpcMessage>,
    replies: mpsc::WeakUnboundedSender<Outgoing>,
    connection: Arc<Mutex<ConnectionState>>,
    max_line: usize,
}

impl LineReader {
    async fn run<R: AsyncRead + Unpin>(self, mut from: BufReader<R>) {
        let mut line = Vec::new();
        loop {
            let frame = match next_line(&mut from, &mut line, self.max_line).await {
                Ok(LineRead::Complete) if line.trim_ascii().is_empty() => continue,
                Ok(LineRead::Complete) => frame::parse(&line),
                Ok(LineRead::TooLong) => {
                    let why = format!("the message exceeds {} bytes", self.max_line);
                    Frame::Invalid(ErrorResponse::without_id(ErrorData::invalid_request(why, None)))
                }
                // A read error is treated like the end of input.
                Ok(LineRead::End) | Err(_) => return,
            };
            let (accepted, finished_batch) = {
                let mut connection = self.connection.lock();
                (connection.accept(frame), connection.finished_batch())
            };
            for value in accepted.reply.into_iter().chain(finished_batch) {
                let Some(replies) = self.replies.upgrade() else { return };
                // Sending fails only if the writer has stopped.
                let _ = replies.send(Outgoing { value, written: None });
            }
            for message in accepted.forward {
                if self.forward.send(message).await.is_err() {
                    return;
                }
            }
        }
    }
}

enum LineRead {
    Complete,
    TooLong,
    End,
}

/// Reads up to the next newline or the end of input.
async fn next_line<R: AsyncRead + Unpin>(
    from: &mut BufReader<R>,
    line: &mut Vec<u8>,
    max_line: usize,
) -> io::Result<LineRead> {
    line.clear();
    let mut too_long = false;
    loop {
        let bytes = from.fill_buf().await?;
        if bytes.is_empty() {
            return Ok(if too_long {
                LineRead::TooLong
            } else if line.is_empty() {
                LineRead::End
            } else {
                LineRead::Complete
            });
        }
        let newline = bytes.iter().position(|byte| *byte == b'\n');
        let more = &bytes[..newline.unwrap_or(bytes.len())];
        if line.len() + more.len() > max_line {
            too_long = true;
            line.clear();
            line.shrink_to(64 * 1024);
        }
        if !too_long {
            line.extend_from_slice(more);
        }
        let accepted = newline.map_or(bytes.len(), |at| at + 1);
        from.consume(accepted);
        if newline.is_some() {
            return Ok(if too_long { LineRead::TooLong } else { LineRead::Complete });
        }
    }
}

/// Writes queued messages. Flushes once for all that are queued.
///
/// # Errors
///
/// Returns an error if a message cannot be written.
async fn write<W: AsyncWrite + Unpin>(
    to: W,
    mut queue: mpsc::UnboundedReceiver<Outgoing>,
) -> io::Result<()> {
    let mut to = BufWriter::with_capacity(64 * 1024, to);
    let mut waiting = Vec::new();
    while let Some(first) = queue.recv().await {
        let mut next = Some(first);
        let mut outcome = Ok(());
        while let Some(item) = next {
            let mut text = item.value.to_string();
            text.push('\n');
            if outcome.is_ok() {
                outcome = to.write_all(text.as_bytes()).await;
            }
            waiting.extend(item.written);
            next = queue.try_recv().ok();
        }
        if outcome.is_ok() {
            outcome = to.flush().await;
        }
        for written in waiting.drain(..) {
            // The receiver may have been dropped.
            let _ = written.send(if outcome.is_ok() { Ok(()) } else { Err(closed()) });
        }
        outcome?;
    }
    Ok(())
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::BrokenPipe, "the client has closed the connection")
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tokio::io::{AsyncReadExt, duplex};

    use super::*;

    async fn answer(input: &[u8]) -> Value {
        let (client, server) = duplex(64 * 1024);
        let (from, to) = tokio::io::split(server);
        let mut lines =
            JsonLinesTransport::new(from, to, CancellationToken::new(), ConnectionState::default());
        let (mut reading, mut writing) = tokio::io::split(client);
        let input = input.to_vec();
        let feed = tokio::spawn(async move { writing.write_all(&input).await.map(|()| writing) });
        let mut seen = Vec::new();
        while !seen.ends_with(b"\n") {
            let mut byte = [0];
            reading.read_exact(&mut byte).await.unwrap();
            seen.push(byte[0]);
        }
        drop(feed.await.unwrap());
        lines.close().await.unwrap();
        serde_json::from_slice(&seen).unwrap()
    }

    #[tokio::test]
    async fn invalid_json_is_answered() {
        assert_eq!(answer(b"\n  \n{bad\n").await["error"]["code"], -32700);
        assert_eq!(answer(b"\xff\xfe\n").await["error"]["code"], -32700);
    }

    #[tokio::test]
    async fn an_overlong_line_is_refused_and_the_next_one_is_read() {
        let mut input = vec![b'x'; MAX_LINE + 10];
        input.extend_from_slice(b"\n");
        let answer = answer(&input).await;
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32600), &json!(null)));
    }

    #[tokio::test]
    async fn the_limit_applies_to_a_last_line_without_newline() {
        for (max_line, fits) in [(4, true), (3, false)] {
            let (mut from, mut line) = (BufReader::new(&b"1234"[..]), Vec::new());
            let read = next_line(&mut from, &mut line, max_line).await.unwrap();
            assert_eq!(matches!(read, LineRead::Complete), fits);
        }
    }

    #[tokio::test]
    async fn the_end_of_input_is_reported() {
        let ended = CancellationToken::new();
        let mut lines = JsonLinesTransport::new(
            &b""[..],
            tokio::io::sink(),
            ended.clone(),
            ConnectionState::default(),
        );
        assert!(lines.receive().await.is_none());
        ended.cancelled().await;
    }
}
