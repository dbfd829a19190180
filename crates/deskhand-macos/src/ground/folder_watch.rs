//! Folders, over kqueue.

use std::{
    fs::{File, OpenOptions},
    io,
    os::{
        fd::{AsRawFd, OwnedFd},
        unix::fs::OpenOptionsExt,
    },
    path::Path,
    ptr,
    time::Duration,
};

use rustix::{
    event::kqueue::{Event, EventFilter, EventFlags, VnodeEvents, kevent, kqueue},
    io::Errno,
};

use crate::machine::Stir;

/// A folder whose files are listened for.
pub(crate) struct FolderWatch {
    queue: OwnedFd,
    /// What the queue listens to, for as long as it does.
    _folder: File,
}

impl FolderWatch {
    pub(crate) fn open(folder: &Path) -> io::Result<Self> {
        // For events only: it keeps no volume from being ejected.
        let folder = OpenOptions::new().read(true).custom_flags(libc::O_EVTONLY).open(folder)?;
        let queue = kqueue()?;
        let flags = VnodeEvents::WRITE
            | VnodeEvents::EXTEND
            | VnodeEvents::LINK
            | VnodeEvents::RENAME
            | VnodeEvents::DELETE
            | VnodeEvents::REVOKE;
        let filter = EventFilter::Vnode { vnode: folder.as_raw_fd(), flags };
        let listen = Event::new(filter, EventFlags::ADD | EventFlags::CLEAR, ptr::null_mut());
        let mut none: Vec<Event> = Vec::new();
        // SAFETY: the descriptor in the event is that of `folder`, which is open now and lives as long as
        // the queue that listens to it, as both are fields of the same value.
        unsafe { kevent(&queue, &[listen], &mut none, Some(Duration::ZERO)) }?;
        Ok(Self { queue, _folder: folder })
    }
}

impl Stir for FolderWatch {
    fn wait(&mut self, at_most: Duration) -> io::Result<()> {
        let mut heard: Vec<Event> = Vec::with_capacity(4);
        // SAFETY: no event is added, so no descriptor is lent to the queue here.
        let told = unsafe {
            kevent(&self.queue, &[], rustix::buffer::spare_capacity(&mut heard), Some(at_most))
        };
        match told {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }
}
