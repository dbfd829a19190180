//! Messages with open files, over sockets that keep messages apart.

use std::{
    io::{self, IoSlice, IoSliceMut, Read, Seek, Write},
    mem::MaybeUninit,
    os::fd::{AsFd, BorrowedFd, OwnedFd},
};

use rustix::{
    fs::MemfdFlags,
    io::Errno,
    net::{
        AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
        SendAncillaryMessage, SendFlags, SocketFlags, SocketType, recvmsg, sendmsg, socketpair,
    },
};
use serde::{Serialize, de::DeserializeOwned};

/// The most files one message carries.
const FILES: usize = 4;

/// The longest message; what is longer travels as a file.
const LONGEST: usize = 4096;

/// How much of what went wrong is told.
const SHORT: usize = 600;

/// Two ends of a connection.
pub(super) fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?)
}

/// Sends a short message with open files.
pub(super) fn send(to: impl AsFd, words: &[u8], files: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FILES))];
    let mut more = SendAncillaryBuffer::new(&mut space);
    if !files.is_empty() && !more.push(SendAncillaryMessage::ScmRights(files)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    loop {
        match sendmsg(&to, &[IoSlice::new(words)], &mut more, SendFlags::NOSIGNAL) {
            Ok(_) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}

/// Receives a message; nothing when the other end is gone.
pub(super) fn receive(from: impl AsFd) -> io::Result<Option<(Vec<u8>, Vec<OwnedFd>)>> {
    let mut bytes = [0; LONGEST];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(FILES))];
    let mut more = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::CMSG_CLOEXEC;
    let count = loop {
        match recvmsg(&from, &mut [IoSliceMut::new(&mut bytes)], &mut more, flags) {
            Ok(received) => break received.bytes,
            Err(Errno::INTR) => {}
            Err(Errno::CONNRESET) => break 0,
            Err(errno) => return Err(errno.into()),
        }
    };
    let mut files = Vec::new();
    for message in more.drain() {
        if let RecvAncillaryMessage::ScmRights(all) = message {
            files.extend(all);
        }
    }
    Ok((count > 0).then(|| (bytes.get(..count).unwrap_or_default().to_vec(), files)))
}

/// As much of what went wrong as fits into a message.
pub(super) fn short(why: &str) -> &[u8] {
    why.as_bytes().get(..SHORT).unwrap_or(why.as_bytes())
}

/// A message of any length as a file.
pub(super) fn written(message: &impl Serialize) -> io::Result<OwnedFd> {
    let mut file = std::fs::File::from(rustix::fs::memfd_create("message", MemfdFlags::CLOEXEC)?);
    file.write_all(&serde_json::to_vec(message)?)?;
    Ok(file.into())
}

/// What was written so.
pub(super) fn read<T: DeserializeOwned>(file: OwnedFd) -> io::Result<T> {
    let mut file = std::fs::File::from(file);
    let mut text = Vec::new();
    file.rewind()?;
    file.read_to_end(&mut text)?;
    Ok(serde_json::from_slice(&text)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_comes_with_its_files_and_the_end_is_noticed() -> io::Result<()> {
        let (one, other) = pair()?;
        let (reader, mut writer) = io::pipe()?;
        let long = "x".repeat(1 << 20);
        let body = written(&long)?;
        send(&one, b"hello", &[body.as_fd(), reader.as_fd()])?;
        let (words, mut files) = receive(&other)?.unwrap_or_default();
        assert_eq!((&words[..], files.len()), (&b"hello"[..], 2));
        let mut taken = std::fs::File::from(files.remove(1));
        writer.write_all(b"ok")?;
        let mut two = [0; 2];
        taken.read_exact(&mut two)?;
        assert_eq!(&two, b"ok");
        assert_eq!(read::<String>(files.remove(0))?, long);
        drop(one);
        assert!(receive(&other)?.is_none());
        Ok(())
    }
}
