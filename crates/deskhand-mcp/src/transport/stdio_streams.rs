//! Standard input and output. Pipes and sockets are used without an extra thread, which would cost
//! two context switches per message.
//!
//! A client that dies closes both streams. But another process may hold the other end of standard
//! input, for example a shell that started the client, so the end of output is watched too.

use std::{
    fs::File,
    io,
    os::{
        fd::{AsFd, OwnedFd},
        unix::{fs::FileTypeExt, net},
    },
};

use tokio::{
    io::{AsyncRead, AsyncWrite, Interest},
    net::{
        UnixStream,
        unix::pipe::{Receiver, Sender},
    },
};

/// Returns standard input.
pub(super) fn input() -> Box<dyn AsyncRead + Send + Unpin> {
    let stream = || -> io::Result<Box<dyn AsyncRead + Send + Unpin>> {
        Ok(match stream_kind(io::stdin().as_fd().try_clone_to_owned()?)? {
            StreamKind::Pipe(fd) => Box::new(Receiver::from_owned_fd(fd)?),
            StreamKind::Socket(fd) => Box::new(socket(fd)?),
            StreamKind::Other => Box::new(tokio::io::stdin()),
        })
    };
    // Fall back to the blocking implementation.
    stream().unwrap_or_else(|_| Box::new(tokio::io::stdin()))
}

/// Returns standard output.
pub(super) fn output() -> Box<dyn AsyncWrite + Send + Unpin> {
    let stream = || -> io::Result<Box<dyn AsyncWrite + Send + Unpin>> {
        Ok(match stream_kind(io::stdout().as_fd().try_clone_to_owned()?)? {
            StreamKind::Pipe(fd) => Box::new(Sender::from_owned_fd(fd)?),
            StreamKind::Socket(fd) => Box::new(socket(fd)?),
            StreamKind::Other => Box::new(tokio::io::stdout()),
        })
    };
    // Fall back to the blocking implementation.
    stream().unwrap_or_else(|_| Box::new(tokio::io::stdout()))
}

/// Waits until no process can read standard output any more. Waits forever if it is neither a pipe nor
/// a socket.
pub(super) async fn output_closed() {
    let stream = || io::stdout().as_fd().try_clone_to_owned().and_then(stream_kind);
    // If the stream cannot be watched, the next message that cannot be written ends the server.
    match stream() {
        Ok(StreamKind::Pipe(fd)) => match Sender::from_owned_fd(fd) {
            Ok(pipe) => wait_reader_gone(&pipe).await,
            Err(_) => std::future::pending().await,
        },
        Ok(StreamKind::Socket(fd)) => match socket(fd) {
            Ok(socket) => wait_peer_gone(&socket).await,
            Err(_) => std::future::pending().await,
        },
        Ok(StreamKind::Other) | Err(_) => std::future::pending().await,
    }
}

/// Waits until the other end of a pipe is closed. The kernel reports this as an error.
async fn wait_reader_gone(pipe: &Sender) {
    while pipe.ready(Interest::ERROR).await.is_ok_and(|ready| !ready.is_error()) {}
}

/// Waits until the other end of a socket is closed. The end of the client's messages alone does not
/// count: a client may have said everything and wait for the responses.
async fn wait_peer_gone(socket: &UnixStream) {
    while socket.ready(Interest::WRITABLE).await.is_ok_and(|ready| !ready.is_write_closed()) {
        let not_closed = || Err::<(), _>(io::ErrorKind::WouldBlock.into());
        // Clears the readiness, so that the next event is awaited.
        let _ = socket.try_io(Interest::WRITABLE, not_closed);
    }
}

enum StreamKind {
    Pipe(OwnedFd),
    Socket(OwnedFd),
    Other,
}

fn stream_kind(fd: OwnedFd) -> io::Result<StreamKind> {
    let fd = File::from(fd);
    let kind = fd.metadata()?.file_type();
    Ok(if kind.is_fifo() {
        StreamKind::Pipe(fd.into())
    } else if kind.is_socket() {
        StreamKind::Socket(fd.into())
    } else {
        StreamKind::Other
    })
}

fn socket(fd: OwnedFd) -> io::Result<UnixStream> {
    let stream = net::UnixStream::from(fd);
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use tokio::time::timeout;

    use super::*;

    const SHORT: Duration = Duration::from_millis(50);
    const LONG: Duration = Duration::from_secs(5);

    #[tokio::test]
    async fn a_closed_pipe_is_noticed_without_a_write() {
        let (theirs, ours) = io::pipe().unwrap();
        let ours = Sender::from_owned_fd(ours.into()).unwrap();
        assert!(timeout(SHORT, wait_reader_gone(&ours)).await.is_err(), "the reader is there");
        drop(theirs);
        assert!(timeout(LONG, wait_reader_gone(&ours)).await.is_ok());
    }

    #[tokio::test]
    async fn a_closed_socket_is_noticed_and_a_half_closed_one_is_not() {
        let (theirs, ours) = net::UnixStream::pair().unwrap();
        let ours = socket(ours.into()).unwrap();
        assert!(timeout(SHORT, wait_peer_gone(&ours)).await.is_err(), "the reader is there");
        theirs.shutdown(std::net::Shutdown::Write).unwrap();
        assert!(timeout(SHORT, wait_peer_gone(&ours)).await.is_err(), "it can still read");
        drop(theirs);
        assert!(timeout(LONG, wait_peer_gone(&ours)).await.is_ok());
    }
}
