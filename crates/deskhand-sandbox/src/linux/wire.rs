//! Messages with open files, over sockets that preserve message boundaries.

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

/// Maximum number of files in a message.
const MAX_FILES: usize = 4;

/// Maximum size of a message. Longer content travels in a memory file.
const MAX_MESSAGE: usize = 4096;

/// Maximum size of a failure reason in a message.
const MAX_REASON: usize = 600;

/// Creates both ends of a connection.
pub(super) fn pair() -> io::Result<(OwnedFd, OwnedFd)> {
    Ok(socketpair(AddressFamily::UNIX, SocketType::SEQPACKET, SocketFlags::CLOEXEC, None)?)
}

/// Sends a short message with open files.
pub(super) fn send(to: impl AsFd, words: &[u8], files: &[BorrowedFd<'_>]) -> io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FILES))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    if !files.is_empty() && !ancillary.push(SendAncillaryMessage::ScmRights(files)) {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    loop {
        match sendmsg(&to, &[IoSlice::new(words)], &mut ancillary, SendFlags::NOSIGNAL) {
            Ok(_) => return Ok(()),
            Err(Errno::INTR) => {}
            Err(errno) => return Err(errno.into()),
        }
    }
}

/// Receives a message. Returns `None` if the peer is gone.
pub(super) fn receive(from: impl AsFd) -> io::Result<Option<(Vec<u8>, Vec<OwnedFd>)>> {
    let mut bytes = [0; MAX_MESSAGE];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(MAX_FILES))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let flags = RecvFlags::CMSG_CLOEXEC;
    let count = loop {
        match recvmsg(&from, &mut [IoSliceMut::new(&mut bytes)], &mut ancillary, flags) {
            Ok(received) => break received.bytes,
            Err(Errno::INTR) => {}
            Err(Errno::CONNRESET) => break 0,
            Err(errno) => return Err(errno.into()),
        }
    };
    let mut files = Vec::new();
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(all) = message {
            files.extend(all);
        }
    }
    Ok((count > 0).then(|| (bytes.get(..count).unwrap_or_default().to_vec(), files)))
}

/// Truncates a failure reason to the size that fits into a message.
pub(super) fn truncate_reason(reason: &str) -> &[u8] {
    reason.as_bytes().get(..MAX_REASON).unwrap_or(reason.as_bytes())
}

/// Writes a value of any length to a memory file.
pub(super) fn to_memfd(message: &impl Serialize) -> io::Result<OwnedFd> {
    let mut file = std::fs::File::from(rustix::fs::memfd_create("message", MemfdFlags::CLOEXEC)?);
    file.write_all(&serde_json::to_vec(message)?)?;
    Ok(file.into())
}

/// Reads a value that [`to_memfd`] has written.
pub(super) fn from_memfd<T: DeserializeOwned>(file: OwnedFd) -> io::Result<T> {
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
    fn message_carries_files_and_a_closed_peer_is_noticed() -> io::Result<()> {
        let (one, other) = pair()?;
        let (reader, mut writer) = io::pipe()?;
        let long = "x".repeat(1 << 20);
        let body = to_memfd(&long)?;
        send(&one, b"hello", &[body.as_fd(), reader.as_fd()])?;
        let (words, mut files) = receive(&other)?.unwrap_or_default();
        assert_eq!((&words[..], files.len()), (&b"hello"[..], 2));
        let mut taken = std::fs::File::from(files.remove(1));
        writer.write_all(b"ok")?;
        let mut two = [0; 2];
        taken.read_exact(&mut two)?;
        assert_eq!(&two, b"ok");
        assert_eq!(from_memfd::<String>(files.remove(0))?, long);
        drop(one);
        assert!(receive(&other)?.is_none());
        Ok(())
    }
}
