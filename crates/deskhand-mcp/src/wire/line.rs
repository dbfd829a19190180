//! The transport for newline-delimited JSON: stdio and Unix sockets.

#[cfg(feature = "fuzzing")]
pub(crate) mod fuzzing;

use std::{
    io,
    sync::{Arc, Mutex, MutexGuard, PoisonError},
    time::Duration,
};

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
    frame::{self, Frame, Refusal},
    ledger::Ledger,
};

/// Maximum length of a line in bytes.
const LONGEST: usize = 16 * 1024 * 1024;

/// Maximum number of messages queued for the handler. Reading stops when the queue is full.
const WAITING: usize = 64;

/// A message to write, and the channel that reports the result.
struct Outgoing {
    value: Value,
    written: Option<oneshot::Sender<io::Result<()>>>,
}

/// The transport over two byte streams.
pub(crate) struct Lines {
    incoming: mpsc::Receiver<ClientJsonRpcMessage>,
    outgoing: Option<mpsc::UnboundedSender<Outgoing>>,
    writing: Option<tokio::task::JoinHandle<()>>,
    ledger: Arc<Mutex<Ledger>>,
}

impl Lines {
    /// Starts to read and write. `ended` is cancelled when the client closes its end.
    pub(crate) fn new<R, W>(from: R, to: W, ended: CancellationToken, ledger: Ledger) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        Self::bounded(from, to, ended, ledger, LONGEST)
    }

    /// Like [`Lines::new`], with a maximum line length.
    fn bounded<R, W>(
        from: R,
        to: W,
        ended: CancellationToken,
        ledger: Ledger,
        longest: usize,
    ) -> Self
    where
        R: AsyncRead + Send + Unpin + 'static,
        W: AsyncWrite + Send + Unpin + 'static,
    {
        let (forward, incoming) = mpsc::channel(WAITING);
        let (outgoing, to_write) = mpsc::unbounded_channel();
        let ledger = Arc::new(Mutex::new(ledger));
        let writing = tokio::spawn(write(to, to_write));
        let (answers, book) = (outgoing.downgrade(), Arc::clone(&ledger));
        let reader = Reader { forward, answers, ledger: book, longest };
        tokio::spawn(async move {
            reader.run(BufReader::with_capacity(64 * 1024, from)).await;
            ended.cancel();
        });
        Self { incoming, outgoing: Some(outgoing), writing: Some(writing), ledger }
    }

    /// Returns a handle that shuts the connection down.
    pub(crate) fn exit(&self) -> Exit {
        let answers = self.outgoing.as_ref().map(mpsc::UnboundedSender::downgrade);
        Exit { ledger: Arc::clone(&self.ledger), answers }
    }
}

/// Shuts a connection down in good order.
pub(crate) struct Exit {
    ledger: Arc<Mutex<Ledger>>,
    answers: Option<mpsc::WeakUnboundedSender<Outgoing>>,
}

impl Exit {
    /// Stops accepting requests, and waits until all are answered.
    pub(crate) async fn finish(&self) {
        locked(&self.ledger).close();
        while !locked(&self.ledger).is_quiet() {
            tokio::time::sleep(LOOK).await;
        }
    }

    /// Answers all pending requests with an error.
    pub(crate) fn cut(&self) {
        let Some(answers) = self.answers.as_ref().and_then(mpsc::WeakUnboundedSender::upgrade)
        else {
            return;
        };
        for value in locked(&self.ledger).cut() {
            // Sending fails only if the writer has stopped.
            let _ = answers.send(Outgoing { value, written: None });
        }
    }
}

impl Transport<RoleServer> for Lines {
    type Error = io::Error;

    fn send(
        &mut self,
        message: ServerJsonRpcMessage,
    ) -> impl Future<Output = io::Result<()>> + Send + 'static {
        // Queue here, not in the future: messages are written in the order of these calls.
        let value = locked(&self.ledger).give(message);
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

struct Reader {
    forward: mpsc::Sender<ClientJsonRpcMessage>,
    answers: mpsc::WeakUnboundedSender<Outgoing>,
    ledger: Arc<Mutex<Ledger>>,
    longest: usize,
}

impl Reader {
    async fn run<R: AsyncRead + Unpin>(self, mut from: BufReader<R>) {
        let mut line = Vec::new();
        loop {
            let frame = match next_line(&mut from, &mut line, self.longest).await {
                Ok(Line::Whole) if line.trim_ascii().is_empty() => continue,
                Ok(Line::Whole) => frame::read(&line),
                Ok(Line::TooLong) => {
                    let why = format!("the message exceeds {} bytes", self.longest);
                    Frame::Bad(Refusal::nameless(ErrorData::invalid_request(why, None)))
                }
                // A read error is treated like the end of input.
                Ok(Line::End) | Err(_) => return,
            };
            let (taken, settled) = {
                let mut ledger = locked(&self.ledger);
                (ledger.take(frame), ledger.settled())
            };
            for value in taken.answer.into_iter().chain(settled) {
                let Some(answers) = self.answers.upgrade() else { return };
                // Sending fails only if the writer has stopped.
                let _ = answers.send(Outgoing { value, written: None });
            }
            for message in taken.forward {
                if self.forward.send(message).await.is_err() {
                    return;
                }
            }
        }
    }
}

enum Line {
    Whole,
    TooLong,
    End,
}

/// Reads up to the next newline or the end of input.
async fn next_line<R: AsyncRead + Unpin>(
    from: &mut BufReader<R>,
    line: &mut Vec<u8>,
    longest: usize,
) -> io::Result<Line> {
    line.clear();
    let mut too_long = false;
    loop {
        let bytes = from.fill_buf().await?;
        if bytes.is_empty() {
            return Ok(if too_long {
                Line::TooLong
            } else if line.is_empty() {
                Line::End
            } else {
                Line::Whole
            });
        }
        let newline = bytes.iter().position(|byte| *byte == b'\n');
        let more = &bytes[..newline.unwrap_or(bytes.len())];
        if line.len() + more.len() > longest {
            too_long = true;
            line.clear();
            line.shrink_to(64 * 1024);
        }
        if !too_long {
            line.extend_from_slice(more);
        }
        let taken = newline.map_or(bytes.len(), |at| at + 1);
        from.consume(taken);
        if newline.is_some() {
            return Ok(if too_long { Line::TooLong } else { Line::Whole });
        }
    }
}

/// Writes queued messages. Flushes once for all that are queued.
async fn write<W: AsyncWrite + Unpin>(to: W, mut queue: mpsc::UnboundedReceiver<Outgoing>) {
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
        let gone = outcome.is_err();
        for written in waiting.drain(..) {
            // The receiver may have been dropped.
            let _ = written.send(if gone { Err(closed()) } else { Ok(()) });
        }
        if gone {
            return;
        }
    }
}

fn closed() -> io::Error {
    io::Error::new(io::ErrorKind::BrokenPipe, "the client has closed the connection")
}

fn locked(ledger: &Mutex<Ledger>) -> MutexGuard<'_, Ledger> {
    ledger.lock().unwrap_or_else(PoisonError::into_inner)
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use tokio::io::{AsyncReadExt, duplex};

    use super::*;

    async fn answer(input: &[u8]) -> Value {
        let (client, server) = duplex(64 * 1024);
        let (from, to) = tokio::io::split(server);
        let mut lines = Lines::new(from, to, CancellationToken::new(), Ledger::default());
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
        let mut input = vec![b'x'; LONGEST + 10];
        input.extend_from_slice(b"\n");
        let answer = answer(&input).await;
        assert_eq!((&answer["error"]["code"], &answer["id"]), (&json!(-32600), &json!(null)));
    }

    #[tokio::test]
    async fn the_limit_applies_to_a_last_line_without_newline() {
        for (longest, fits) in [(4, true), (3, false)] {
            let (mut from, mut line) = (BufReader::new(&b"1234"[..]), Vec::new());
            let read = next_line(&mut from, &mut line, longest).await.unwrap();
            assert_eq!(matches!(read, Line::Whole), fits);
        }
    }

    #[tokio::test]
    async fn the_end_of_input_is_reported() {
        let ended = CancellationToken::new();
        let mut lines = Lines::new(&b""[..], tokio::io::sink(), ended.clone(), Ledger::default());
        assert!(lines.receive().await.is_none());
        ended.cancelled().await;
    }
}
