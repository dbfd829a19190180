//! Removes IPC objects that outlive their processes: System V shared memory, semaphores and message queues, and
//! POSIX message queues.
#![allow(unsafe_code, reason = "kernel interface; every block states why it is sound")]

use std::{
    ffi::{CString, c_int, c_void},
    fs, io,
    os::unix::ffi::OsStrExt,
};

/// The mount point that lists the POSIX message queues of a namespace.
pub(super) const MQUEUE_DIR: &str = "/dev/mqueue";

/// A buffer for the result of a control call. The longest result has 120 bytes.
#[repr(C, align(8))]
struct ControlBuffer([u8; 256]);

/// A kind of System V object, with its command numbers from linux/shm.h, linux/sem.h and linux/msg.h.
struct IpcKind {
    /// Command: returns the highest used index.
    info: c_int,
    /// Command: returns the id of the object at an index, regardless of its permissions.
    stat: c_int,
    control: fn(id: c_int, operation: c_int, buffer: &mut ControlBuffer) -> c_int,
}

const IPC_KINDS: [IpcKind; 3] = [
    IpcKind { info: 14, stat: 15, control: shared_memory },
    IpcKind { info: 19, stat: 20, control: semaphores },
    IpcKind { info: 12, stat: 13, control: messages },
];

fn shared_memory(id: c_int, operation: c_int, buffer: &mut ControlBuffer) -> c_int {
    // SAFETY: the kernel writes at most 112 bytes to the buffer, which is longer and outlives the call.
    unsafe { libc::shmctl(id, operation, (&raw mut *buffer).cast()) }
}

fn semaphores(id: c_int, operation: c_int, buffer: &mut ControlBuffer) -> c_int {
    let buffer: *mut c_void = (&raw mut *buffer).cast();
    // SAFETY: the kernel writes at most 104 bytes to the buffer, which is longer and outlives the call.
    unsafe { libc::semctl(id, 0, operation, buffer) }
}

fn messages(id: c_int, operation: c_int, buffer: &mut ControlBuffer) -> c_int {
    // SAFETY: the kernel writes at most 120 bytes to the buffer, which is longer and outlives the call.
    unsafe { libc::msgctl(id, operation, (&raw mut *buffer).cast()) }
}

/// Removes all IPC objects from the namespace of this process. The namespace must belong to the container.
pub(super) fn remove_all() -> io::Result<()> {
    let mut buffer = ControlBuffer([0; 256]);
    for kind in IPC_KINDS {
        // A kernel without this kind has no such objects.
        let info = (kind.control)(0, kind.info, &mut buffer);
        for index in 0..=info {
            let id = (kind.control)(index, kind.stat, &mut buffer);
            if id >= 0 && (kind.control)(id, libc::IPC_RMID, &mut buffer) < 0 {
                return Err(io::Error::last_os_error());
            }
        }
    }
    // The size of the folder is not zero if it contains a queue.
    if fs::metadata(MQUEUE_DIR).is_ok_and(|folder| folder.len() > 0) {
        for queue in fs::read_dir(MQUEUE_DIR)? {
            let name = CString::new([b"/", queue?.file_name().as_bytes()].concat())?;
            // SAFETY: the name is NUL-terminated and outlives the call.
            if unsafe { libc::mq_unlink(name.as_ptr()) } != 0 {
                return Err(io::Error::last_os_error());
            }
        }
    }
    Ok(())
}
