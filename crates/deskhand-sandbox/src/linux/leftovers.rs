//! What programs leave in the kernel that no process holds: shared memory, semaphores and queues of messages,
//! of both kinds there are.
#![allow(unsafe_code, reason = "the kernel's interface; every block says why it is sound")]

use std::{
    ffi::{CString, c_int, c_void},
    fs, io,
    os::unix::ffi::OsStrExt,
};

/// Where the queues of a namespace are listed.
pub(super) const QUEUES: &str = "/dev/mqueue";

/// Room for whatever the kernel tells of one thing or of all: the longest is 120 bytes.
#[repr(C, align(8))]
struct Told([u8; 256]);

/// A kind of things with numbers, by the numbers of what is asked, from linux/shm.h, linux/sem.h and linux/msg.h.
struct Kind {
    /// The highest place that is taken.
    highest: c_int,
    /// The number of what is at a place, whoever may read it.
    at: c_int,
    ask: fn(number: c_int, what: c_int, told: &mut Told) -> c_int,
}

const KINDS: [Kind; 3] = [
    Kind { highest: 14, at: 15, ask: shared_memory },
    Kind { highest: 19, at: 20, ask: semaphores },
    Kind { highest: 12, at: 13, ask: messages },
];

fn shared_memory(number: c_int, what: c_int, told: &mut Told) -> c_int {
    // SAFETY: the kernel writes at most 112 bytes to what is longer, ours, and lives until the call returns.
    unsafe { libc::shmctl(number, what, (&raw mut *told).cast()) }
}

fn semaphores(number: c_int, what: c_int, told: &mut Told) -> c_int {
    let told: *mut c_void = (&raw mut *told).cast();
    // SAFETY: the kernel writes at most 104 bytes to what is longer, ours, and lives until the call returns.
    unsafe { libc::semctl(number, 0, what, told) }
}

fn messages(number: c_int, what: c_int, told: &mut Told) -> c_int {
    // SAFETY: the kernel writes at most 120 bytes to what is longer, ours, and lives until the call returns.
    unsafe { libc::msgctl(number, what, (&raw mut *told).cast()) }
}

/// Removes all of it from the namespace this process is in, which must be its own.
pub(super) fn remove() -> io::Result<()> {
    let mut told = Told([0; 256]);
    for kind in KINDS {
        // A kernel without this kind has none of it.
        let highest = (kind.ask)(0, kind.highest, &mut told);
        for place in 0..=highest {
            let number = (kind.ask)(place, kind.at, &mut told);
            if number >= 0 && (kind.ask)(number, libc::IPC_RMID, &mut told) < 0 {
                return Err(io::Error::last_os_error());
            }
        }
    }
    // The folder has a length for each queue in it.
    if fs::metadata(QUEUES).is_ok_and(|folder| folder.len() > 0) {
        for queue in fs::read_dir(QUEUES)? {
            let name = CString::new([b"/", queue?.file_name().as_bytes()].concat())?;
            // SAFETY: the name ends with a zero and lives until the call returns.
            if unsafe { libc::mq_unlink(name.as_ptr()) } != 0 {
                return Err(io::Error::last_os_error());
            }
        }
    }
    Ok(())
}
