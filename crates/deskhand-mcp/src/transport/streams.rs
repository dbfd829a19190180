//! Standard input and output. Pipes and sockets are used without an extra thread, which would cost two
//! context switches per message.

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
        Ok(match kind(io::stdin().as_fd().try_clone_to_owned()?)? {
            Kind::Pipe(end) => Box::new(Receiver::from_owned_fd(end)?),
            Kind::Socket(end) => Box::new(socket(end)?),
            Kind::Other => Box::new(tokio::io::stdin()),
        })
    };
    // Fall back to the blocking implementation.
    stream().unwrap_or_else(|_| Box::new(tokio::io::stdin()))
}

/// Returns standard output.
pub(super) fn output() -> Box<dyn AsyncWrite + Send + Unpin> {
    let stream = || -> io::Result<Box<dyn AsyncWrite + Send + Unpin>> {
        Ok(match kind(io::stdout().as_fd().try_clone_to_owned()?)? {
            Kind::Pipe(end) => Box::new(Sender::from_owned_fd(end)?),
            Kind::Socket(end) => Box::new(socket(end)?),
            Kind::Other => Box::new(tokio::io::stdout()),
        })
    };
    // Fall back to the blocking implementation.
    stream().unwrap_or_else(|_| Box::new(tokio::io::stdout()))
}

enum Kind {
    Pipe(OwnedFd),
    Socket(OwnedFd),
    Other,
}

fn kind(end: OwnedFd) -> io::Result<Kind> {
    let end = File::from(end);
    let kind = end.metadata()?.file_type();
    Ok(if kind.is_fifo() {
        Kind::Pipe(end.into())
    } else if kind.is_socket() {
        Kind::Socket(end.into())
    } else {
        Kind::Other
    })
}

fn socket(end: OwnedFd) -> io::Result<UnixStream> {
    let stream = net::UnixStream::from(end);
    stream.set_nonblocking(true)?;
    UnixStream::from_std(stream)
}
