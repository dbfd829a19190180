//! A stream with a write timeout: a client that does not read for too long is disconnected.

use std::{
    io,
    pin::Pin,
    task::{Context, Poll, ready},
    time::Duration,
};

use tokio::{
    io::{AsyncRead, AsyncWrite, ReadBuf},
    time::{Instant, Sleep, sleep},
};

/// Number of bytes that must be read within the timeout. A single byte now and then is not enough.
const MIN_PROGRESS: usize = 16 * 1024;

/// A stream with a write timeout.
pub(super) struct WriteTimeoutStream<S> {
    stream: S,
    timeout: Duration,
    slow_reader: Option<SlowReader>,
}

/// A reader that is behind.
struct SlowReader {
    deadline: Pin<Box<Sleep>>,
    taken: usize,
}

impl<S> WriteTimeoutStream<S> {
    /// Wraps a stream.
    pub(super) fn new(stream: S, timeout: Duration) -> Self {
        Self { stream, timeout, slow_reader: None }
    }

    /// Updates the timeout after an attempt to write `offered` bytes.
    fn check_progress(
        &mut self,
        cx: &mut Context<'_>,
        offered: usize,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match written {
            Poll::Ready(Ok(taken)) => {
                if taken == offered {
                    self.slow_reader = None;
                } else if let Some(slow_reader) = &mut self.slow_reader {
                    slow_reader.taken += taken;
                    if slow_reader.taken >= MIN_PROGRESS {
                        slow_reader.taken = 0;
                        slow_reader.deadline.as_mut().reset(Instant::now() + self.timeout);
                    }
                }
                Poll::Ready(Ok(taken))
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => {
                let timeout = self.timeout;
                let slow_reader = self.slow_reader.get_or_insert_with(|| SlowReader {
                    deadline: Box::pin(sleep(timeout)),
                    taken: 0,
                });
                ready!(slow_reader.deadline.as_mut().poll(cx));
                Poll::Ready(Err(io::ErrorKind::TimedOut.into()))
            }
        }
    }
}

impl<S: AsyncRead + Unpin> AsyncRead for WriteTimeoutStream<S> {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_read(cx, buffer)
    }
}

impl<S: AsyncWrite + Unpin> AsyncWrite for WriteTimeoutStream<S> {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.check_progress(cx, bytes.len(), written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let offered = parts.iter().map(|part| part.len()).sum();
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.check_progress(cx, offered, written)
    }

    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = Pin::new(&mut self.stream).poll_flush(cx).map_ok(|()| 0);
        self.check_progress(cx, 0, flushed).map_ok(|_| ())
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let shut = Pin::new(&mut self.stream).poll_shutdown(cx).map_ok(|()| 0);
        self.check_progress(cx, 0, shut).map_ok(|_| ())
    }
}

#[cfg(test)]
mod tests {
    use tokio::io::{AsyncReadExt, AsyncWriteExt, duplex};

    use super::*;

    const TIME: Duration = Duration::from_secs(30);

    #[tokio::test(start_paused = true)]
    async fn a_client_that_reads_nothing_is_disconnected() {
        let (ours, _theirs) = duplex(64);
        let mut ours = WriteTimeoutStream::new(ours, TIME);
        let written = ours.write_all(&[7; 1000]).await;
        assert_eq!(written.unwrap_err().kind(), io::ErrorKind::TimedOut);
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_reads_too_little_is_disconnected() {
        let (ours, mut theirs) = duplex(64);
        let mut ours = WriteTimeoutStream::new(ours, TIME);
        let reading = tokio::spawn(async move {
            while theirs.read_u8().await.is_ok() {
                tokio::time::sleep(TIME / 10).await;
            }
        });
        assert!(ours.write_all(&[7; 100_000]).await.is_err());
        drop(ours);
        reading.await.unwrap();
    }

    #[tokio::test(start_paused = true)]
    async fn a_client_that_keeps_reading_is_served() {
        let (ours, mut theirs) = duplex(64 * 1024);
        let mut ours = WriteTimeoutStream::new(ours, TIME);
        let reading = tokio::spawn(async move {
            let mut all = vec![0; 20 * 64 * 1024];
            for part in all.chunks_mut(32 * 1024) {
                theirs.read_exact(part).await.unwrap();
                tokio::time::sleep(TIME / 2).await;
            }
        });
        ours.write_all(&vec![7; 20 * 64 * 1024]).await.unwrap();
        reading.await.unwrap();
    }
}
