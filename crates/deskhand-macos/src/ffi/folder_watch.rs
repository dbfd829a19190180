//! Watches folders with kqueue.

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

use crate::machine::FolderNotifier;

/// Reports changes of a folder.
pub(crate) struct KqueueNotifier {
    queue: OwnedFd,
    /// The watched folder, which must stay open.
    _folder: File,
}

impl KqueueNotifier {
    pub(crate) fn open(folder: &Path) -> io::Result<Self> {
        // O_EVTONLY does not prevent the volume from being ejected.
        let folder = OpenOptions::new().read(true).custom_flags(libc::O_EVTONLY).open(folder)?;
        let queue = kqueue()?;
        let flags = VnodeEvents::WRITE
            | VnodeEvents::EXTEND
            | VnodeEvents::LINK
            | VnodeEvents::RENAME
            | VnodeEvents::DELETE
            | VnodeEvents::REVOKE;
        let filter = EventFilter::Vnode { vnode: folder.as_raw_fd(), flags };
        let subscription = Event::new(filter, EventFlags::ADD | EventFlags::CLEAR, ptr::null_mut());
        let mut none: Vec<Event> = Vec::new();
        // SAFETY: the descriptor in the event is that of `folder`, which is open and lives as long as the queue, since
        // both are fields of the same value.
        unsafe { kevent(&queue, &[subscription], &mut none, Some(Duration::ZERO)) }?;
        Ok(Self { queue, _folder: folder })
    }
}

impl FolderNotifier for KqueueNotifier {
    fn wait(&mut self, timeout: Duration) -> io::Result<()> {
        let mut events: Vec<Event> = Vec::with_capacity(4);
        // SAFETY: no event is added, so the queue borrows no descriptor.
        let result = unsafe {
            kevent(&self.queue, &[], rustix::buffer::spare_capacity(&mut events), Some(timeout))
        };
        match result {
            Ok(_) | Err(Errno::INTR) => Ok(()),
            Err(errno) => Err(errno.into()),
        }
    }
}
