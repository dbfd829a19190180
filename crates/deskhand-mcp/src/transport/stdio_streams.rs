//! Standard input and output. Pipes and sockets are used without an extra thread, which would cost
//! two context switches per message.

use std::{
    fs::File,
    io,
    os::{
        fd::{AsFd, OwnedFd},
        unix::{fs::FileTypeExt, net},
    },
};

use tokio::{
    io::{AsyncRead, AsyncWrite},
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
